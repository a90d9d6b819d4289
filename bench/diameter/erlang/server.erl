%% A server of credit control with the diameter application of Erlang/OTP, for `make bench-diameter`. It answers and charges nothing.
%%
%% erl -noshell -run server main serve ADDRESS    serves until it is ended
%% erl -noshell -run server main codec COUNT      writes and reads so many requests, and prints the nanoseconds of one, and the sum
%%                                                of all values
-module(server).

-export([main/1]).
-export([peer_up/3, peer_down/3, pick_peer/4, prepare_request/3, prepare_retransmit/3, handle_answer/4, handle_error/4,
         handle_request/3]).

-include_lib("diameter/include/diameter.hrl").

-define(SERVICE, server).
-define(HOST, <<"charging.example.net">>).
-define(REALM, <<"example.net">>).
-define(APPLICATION, 4).
-define(SUCCESS, 2001).

%% What is granted, and for how many seconds.
-define(GRANTED_OCTETS, 1000000).
-define(VALIDITY, 600).

%% A process answers a request and ends. With so many words, it never collects garbage.
-define(HEAP_WORDS, 8192).

main(["serve", Address]) ->
    [Host, Port] = string:split(Address, ":"),
    {ok, Listens} = inet:parse_address(Host),
    ok = diameter:start(),
    ok = diameter:start_service(?SERVICE, service()),
    {ok, _} = diameter:add_transport(?SERVICE, {listen, transport(Listens, list_to_integer(Port))});
main(["codec", Count]) ->
    ok = diameter:start(),
    codec:measure(list_to_integer(Count)),
    halt(0).

%% Nothing is counted for statistics, and texts stay what they are on the wire. The clients of the benchmark come again and again.
service() ->
    [{'Origin-Host', ?HOST},
     {'Origin-Realm', ?REALM},
     {'Vendor-Id', 0},
     {'Product-Name', <<"OTP">>},
     {'Auth-Application-Id', [?APPLICATION]},
     {restrict_connections, false},
     {string_decode, false},
     {decode_format, map},
     {traffic_counters, false},
     {application, [{alias, credit},
                    {dictionary, credit_control},
                    {module, ?MODULE}]}].

transport(Address, Port) ->
    [{transport_module, diameter_tcp},
     {transport_config, [{ip, Address}, {port, Port}, {reuseaddr, true}, {nodelay, true}]},
     {spawn_opt, [{min_heap_size, ?HEAP_WORDS}]}].

%% Callbacks of the application. Each service of a request has what it wants.

handle_request(#diameter_packet{msg = ['CCR' | Request]}, _Service, _Peer) ->
    #{'Session-Id' := Session, 'CC-Request-Type' := Kind, 'CC-Request-Number' := Number} = Request,
    Services = maps:get('Multiple-Services-Credit-Control', Request, []),
    {reply, ['CCA' | #{'Session-Id' => Session,
                       'Result-Code' => ?SUCCESS,
                       'Origin-Host' => ?HOST,
                       'Origin-Realm' => ?REALM,
                       'Auth-Application-Id' => ?APPLICATION,
                       'CC-Request-Type' => Kind,
                       'CC-Request-Number' => Number,
                       'Multiple-Services-Credit-Control' => [granted(Service) || Service <- Services]}]}.

granted(Service) ->
    #{'Granted-Service-Unit' => #{'CC-Total-Octets' => ?GRANTED_OCTETS},
      'Validity-Time' => ?VALIDITY,
      'Rating-Group' => maps:get('Rating-Group', Service, []),
      'Result-Code' => ?SUCCESS}.

peer_up(_Service, _Peer, State) -> State.

peer_down(_Service, _Peer, State) -> State.

%% The server sends no requests.

pick_peer(_, _, _Service, _State) -> false.

prepare_request(_Packet, _Service, _Peer) -> {discard, unexpected}.

prepare_retransmit(_Packet, _Service, _Peer) -> {discard, unexpected}.

handle_answer(_Packet, _Request, _Service, _Peer) -> ok.

handle_error(_Reason, _Request, _Service, _Peer) -> ok.
