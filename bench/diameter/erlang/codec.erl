%% The codec alone: requests of 11 AVPs are made, written and read.
-module(codec).

-export([measure/1]).

-include_lib("diameter/include/diameter.hrl").

%% Those that the server has.
-define(OPTIONS, #{decode_format => map, string_decode => false, strict_mbit => true, rfc => 6733}).

%% Seconds of the calendar of Erlang, which begins with the year 0, until 1970.
-define(SECONDS_TO_1970, 62167219200).

%% Writes and reads requests. Prints the nanoseconds of one, and the sum of all values.
measure(Count) ->
    Begun = calendar:gregorian_seconds_to_datetime(1700000000 + ?SECONDS_TO_1970),
    {Microseconds, Sum} = timer:tc(fun() -> sum(0, Count, Begun, 0) end),
    io:format("~.1f ~b~n", [Microseconds * 1000 / Count, Sum]).

sum(Count, Count, _, Sum) ->
    Sum;
sum(Number, Count, Begun, Sum) ->
    #diameter_packet{bin = Octets} = diameter_codec:encode(credit_control, update(Number, Begun)),
    #diameter_packet{msg = ['CCR' | Request], errors = []} = diameter_codec:decode(credit_control, ?OPTIONS, Octets),
    sum(Number + 1, Count, Begun, Sum + sum_of(Request)).

%% The request of a session that goes on.
update(Number, Begun) ->
    ['CCR' | #{'Session-Id' => <<"load-0.example.net;1700000000;0000000000000001">>,
               'Origin-Host' => <<"load-0.example.net">>,
               'Origin-Realm' => <<"example.net">>,
               'Destination-Realm' => <<"example.net">>,
               'Auth-Application-Id' => 4,
               'Service-Context-Id' => <<"32251@3gpp.org">>,
               'CC-Request-Type' => 2,
               'CC-Request-Number' => Number,
               'Event-Timestamp' => Begun,
               'Subscription-Id' => [#{'Subscription-Id-Type' => 0, 'Subscription-Id-Data' => <<"46701000001">>}],
               'Multiple-Services-Credit-Control' =>
                   [#{'Requested-Service-Unit' => #{'CC-Total-Octets' => 1000000},
                      'Used-Service-Unit' => [#{'CC-Total-Octets' => 500000}],
                      'Rating-Group' => 100}]}].

%% Adds the numbers and the lengths of the texts.
sum_of(Number) when is_integer(Number) -> Number;
sum_of(Text) when is_binary(Text) -> byte_size(Text);
sum_of(Values) when is_list(Values) -> lists:foldl(fun(Value, Sum) -> Sum + sum_of(Value) end, 0, Values);
sum_of(Group) when is_map(Group) -> maps:fold(fun(_, Value, Sum) -> Sum + sum_of(Value) end, 0, Group);
sum_of({{_, _, _}, {_, _, _}} = Time) -> calendar:datetime_to_gregorian_seconds(Time) - ?SECONDS_TO_1970.
