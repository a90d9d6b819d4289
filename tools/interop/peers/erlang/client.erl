%% A client of credit control with the diameter application of Erlang/OTP, whose decoder is strict: an answer with anything that its
%% grammar does not allow, or without something that it needs, has errors. Each line is an answer, with the errors of its decoder.
%%
%% erl -noshell -run client main PORT
-module(client).

-export([main/1]).
-export([peer_up/3, peer_down/3, pick_peer/4, prepare_request/3, prepare_retransmit/3, handle_answer/4, handle_error/4,
         handle_request/3]).

-include_lib("diameter/include/diameter.hrl").

-define(SERVICE, client).
-define(HOST, "pgw.example.net").
-define(REALM, "example.net").
-define(NUMBER, "46701000001").
-define(UNKNOWN, "46709999999").
-define(SECONDS, 1000).

%% Kinds of requests.
-define(INITIAL, 1).
-define(UPDATE, 2).
-define(TERMINATION, 3).
-define(EVENT, 4).

main([Port]) ->
    ok = diameter:start(),
    true = diameter:subscribe(?SERVICE),
    ok = diameter:start_service(?SERVICE, service()),
    {ok, _} = diameter:add_transport(?SERVICE, {connect, transport(list_to_integer(Port))}),
    receive
        #diameter_event{info = Up} when element(1, Up) =:= up ->
            io:format("connected~n")
    after 10 * ?SECONDS ->
            io:format("not connected~n"),
            halt(1)
    end,
    requests(),
    ok = diameter:stop_service(?SERVICE),
    io:format("disconnected~n"),
    halt(0).

service() ->
    [{'Origin-Host', ?HOST},
     {'Origin-Realm', ?REALM},
     {'Vendor-Id', 0},
     {'Product-Name', "OTP"},
     {'Auth-Application-Id', [4]},
     {strict_mbit, true},
     {string_decode, false},
     {decode_format, map},
     {application, [{alias, credit},
                    {dictionary, credit_control},
                    {module, ?MODULE},
                    {answer_errors, callback}]}].

transport(Port) ->
    [{transport_module, diameter_tcp},
     {transport_config, [{raddr, {127,0,0,1}}, {rport, Port}, {reuseaddr, true}]},
     {strict_capx, true},
     {length_errors, exit}].

%% A session of data, one that is refused, an event, and a question for a price.
requests() ->
    Session = diameter:session_id(?HOST),
    ask("first", Session, ?INITIAL, 0, services([{100, [wanted(1000000)]}, {200, [wanted(2000000)]}])),
    ask("next", Session, ?UPDATE, 1, services([{100, [used(700000), wanted(1000000)]}])),
    ask("last", Session, ?TERMINATION, 2, services([{100, [used(300000)]}, {200, [used(2000000)]}])),
    ask("unknown subscriber", diameter:session_id(?HOST), ?INITIAL, 0,
        [{'Subscription-Id', [subscription(?UNKNOWN)]} | services([{100, [wanted(1000000)]}])]),
    ask("unknown session", diameter:session_id(?HOST), ?UPDATE, 1, services([{100, [wanted(1000000)]}])),
    ask("unknown context", diameter:session_id(?HOST), ?INITIAL, 0,
        [{'Service-Context-Id', "32299@3gpp.org"} | services([{100, [wanted(1000000)]}])]),
    ask("event", diameter:session_id(?HOST), ?EVENT, 0, message(0)),
    ask("price", diameter:session_id(?HOST), ?EVENT, 0, message(3)),
    ask("check", diameter:session_id(?HOST), ?EVENT, 0, message(2)).

services(Services) ->
    [{'Multiple-Services-Indicator', 1},
     {'Multiple-Services-Credit-Control',
      [maps:from_list([{'Rating-Group', Group} | Units]) || {Group, Units} <- Services]}].

wanted(Octets) ->
    {'Requested-Service-Unit', #{'CC-Total-Octets' => Octets}}.

used(Octets) ->
    {'Used-Service-Unit', [#{'CC-Total-Octets' => Octets}]}.

message(Action) ->
    [{'Service-Context-Id', "32274@3gpp.org"},
     {'Requested-Action', Action},
     {'Requested-Service-Unit', #{'CC-Service-Specific-Units' => 1}}].

subscription(Number) ->
    #{'Subscription-Id-Type' => 0, 'Subscription-Id-Data' => Number}.

%% Sends a request, and prints its answer.
ask(What, Session, Kind, Number, More) ->
    Request = #{'Session-Id' => Session,
                'Origin-Host' => ?HOST,
                'Origin-Realm' => ?REALM,
                'Destination-Realm' => ?REALM,
                'Auth-Application-Id' => 4,
                'Service-Context-Id' => "32251@3gpp.org",
                'CC-Request-Type' => Kind,
                'CC-Request-Number' => Number,
                'Subscription-Id' => [subscription(?NUMBER)]},
    Whole = maps:merge(Request, maps:from_list(More)),
    io:format("~s: ~s~n", [What, diameter:call(?SERVICE, credit, ['CCR' | Whole], [])]).

%% Returns what an answer says: its result, its services as {Rating-Group, Result-Code, octets}, the other AVPs of an event, and what
%% the decoder finds wrong.
line(#diameter_packet{msg = [_ | Answer], errors = Errors}) when is_map(Answer) ->
    Services = [{one('Rating-Group', Of), one('Result-Code', Of), octets(Of)}
                || Of <- maps:get('Multiple-Services-Credit-Control', Answer, [])],
    Event = [{Name, maps:get(Name, Answer)}
             || Name <- ['Granted-Service-Unit', 'Cost-Information', 'Check-Balance-Result'], is_map_key(Name, Answer)],
    io_lib:format("~w ~0p ~0p errors ~0p", [maps:get('Result-Code', Answer, none), Services, Event, Errors]);
line(#diameter_packet{msg = Message, errors = Errors}) ->
    io_lib:format("~0p errors ~0p", [Message, Errors]).

one(Name, Of) ->
    case Of of
        #{Name := [Value]} -> Value;
        _ -> none
    end.

octets(#{'Granted-Service-Unit' := [#{'CC-Total-Octets' := [Octets]}]}) -> Octets;
octets(_) -> none.

%% Callbacks of the application.

peer_up(_Service, _Peer, State) -> State.

peer_down(_Service, _Peer, State) -> State.

pick_peer([Peer | _], _, _Service, _State) -> {ok, Peer};
pick_peer([], _, _Service, _State) -> false.

prepare_request(#diameter_packet{msg = Request}, _Service, _Peer) -> {send, Request}.

prepare_retransmit(Packet, _Service, _Peer) -> {send, Packet}.

handle_answer(Packet, _Request, _Service, _Peer) -> line(Packet).

handle_error(Reason, _Request, _Service, _Peer) -> io_lib:format("~0p", [Reason]).

handle_request(_Packet, _Service, _Peer) -> {answer_message, 3001}.
