// A client of credit control made with go-diameter, which sends requests a second time with the T bit, as a client does that
// had no answer. It prints one line for each pair of answers, and waits for a line of standard input after it.
package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/fiorix/go-diameter/v4/diam"
	"github.com/fiorix/go-diameter/v4/diam/avp"
	"github.com/fiorix/go-diameter/v4/diam/datatype"
	"github.com/fiorix/go-diameter/v4/diam/dict"
	"github.com/fiorix/go-diameter/v4/diam/sm"
)

const (
	host        = "tas.example.net"
	realm       = "example.net"
	subscriber  = "46701000001"
	application = 4
	// How long an answer may take.
	patience = 10 * time.Second
)

// Kinds of requests (RFC 8506 section 8.3).
const (
	initial     = 1
	termination = 3
	event       = 4
)

type client struct {
	connection diam.Conn
	answers    chan *diam.Message
	input      *bufio.Reader
}

func main() {
	log.SetFlags(0)
	it, err := connect(os.Args[1])
	if err != nil {
		log.Fatalf("cannot connect: %v", err)
	}
	it.twice("session", it.request("session;1", "32251@3gpp.org", initial, 0, wanted(1_000_000)))
	it.twice("event", it.request("event;1", "32274@3gpp.org", event, 0, message()))
	it.twice("end", it.request("session;1", "32251@3gpp.org", termination, 1, used(700_000)))
	it.connection.Close()
}

func connect(address string) (*client, error) {
	machine := sm.New(&sm.Settings{
		OriginHost:      host,
		OriginRealm:     realm,
		ProductName:     "go-diameter",
		HostIPAddresses: []datatype.Address{datatype.Address(net.ParseIP("127.0.0.1"))},
	})
	it := &client{answers: make(chan *diam.Message, 1), input: bufio.NewReader(os.Stdin)}
	machine.HandleFunc("CCA", func(_ diam.Conn, answer *diam.Message) { it.answers <- answer })
	dialer := &sm.Client{
		Dict:           dict.Default,
		Handler:        machine,
		EnableWatchdog: true,
		AuthApplicationID: []*diam.AVP{
			diam.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(application)),
		},
	}
	var err error
	it.connection, err = dialer.DialNetwork("tcp", address)
	return it, err
}

func (it *client) request(session, context string, kind, number uint32, units ...*diam.AVP) *diam.Message {
	request := diam.NewRequest(diam.CreditControl, application, dict.Default)
	request.NewAVP(avp.SessionID, avp.Mbit, 0, datatype.UTF8String(host+";"+session))
	request.NewAVP(avp.OriginHost, avp.Mbit, 0, datatype.DiameterIdentity(host))
	request.NewAVP(avp.OriginRealm, avp.Mbit, 0, datatype.DiameterIdentity(realm))
	request.NewAVP(avp.DestinationRealm, avp.Mbit, 0, datatype.DiameterIdentity(realm))
	request.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(application))
	request.NewAVP(avp.ServiceContextID, avp.Mbit, 0, datatype.UTF8String(context))
	request.NewAVP(avp.CCRequestType, avp.Mbit, 0, datatype.Enumerated(kind))
	request.NewAVP(avp.CCRequestNumber, avp.Mbit, 0, datatype.Unsigned32(number))
	request.NewAVP(avp.EventTimestamp, avp.Mbit, 0, datatype.Time(time.Now()))
	request.AddAVP(group(avp.SubscriptionID,
		diam.NewAVP(avp.SubscriptionIDType, avp.Mbit, 0, datatype.Enumerated(0)),
		diam.NewAVP(avp.SubscriptionIDData, avp.Mbit, 0, datatype.UTF8String(subscriber))))
	for _, unit := range units {
		request.AddAVP(unit)
	}
	return request
}

// twice sends a request, and sends it again with the T bit; the identifiers are the same.
func (it *client) twice(what string, request *diam.Message) {
	first := it.send(request)
	request.Header.CommandFlags |= diam.RetransmittedFlag
	second := it.send(request)
	fmt.Printf("%s: %d, the same again: %t\n", what, result(first), octets(first) == octets(second))
	if _, err := it.input.ReadString('\n'); err != nil {
		log.Fatalf("cannot go on: %v", err)
	}
}

func (it *client) send(request *diam.Message) *diam.Message {
	if _, err := request.WriteTo(it.connection); err != nil {
		log.Fatalf("cannot send: %v", err)
	}
	select {
	case answer := <-it.answers:
		return answer
	case <-time.After(patience):
		log.Fatal("no answer")
		return nil
	}
}

func result(answer *diam.Message) uint32 {
	code, err := answer.FindAVP(avp.ResultCode, 0)
	if err != nil {
		log.Fatalf("an answer without Result-Code: %v", answer)
	}
	return uint32(code.Data.(datatype.Unsigned32))
}

func octets(message *diam.Message) string {
	written, err := message.Serialize()
	if err != nil {
		log.Fatalf("an answer that cannot be written: %v", err)
	}
	return string(written)
}

func group(code uint32, members ...*diam.AVP) *diam.AVP {
	return diam.NewAVP(code, avp.Mbit, 0, &diam.GroupedAVP{AVP: members})
}

func wanted(octets uint64) *diam.AVP {
	return service(group(avp.RequestedServiceUnit, diam.NewAVP(avp.CCTotalOctets, avp.Mbit, 0, datatype.Unsigned64(octets))))
}

func used(octets uint64) *diam.AVP {
	return service(group(avp.UsedServiceUnit, diam.NewAVP(avp.CCTotalOctets, avp.Mbit, 0, datatype.Unsigned64(octets))))
}

func service(units *diam.AVP) *diam.AVP {
	return group(avp.MultipleServicesCreditControl, units, diam.NewAVP(avp.RatingGroup, avp.Mbit, 0, datatype.Unsigned32(100)))
}

// message is what an event is about: one message, which is taken from the account at once.
func message() *diam.AVP {
	return group(avp.RequestedServiceUnit, diam.NewAVP(avp.CCServiceSpecificUnits, avp.Mbit, 0, datatype.Unsigned64(1)))
}
