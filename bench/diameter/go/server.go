package main

import (
	"log"
	"net"

	"github.com/fiorix/go-diameter/v4/diam"
	"github.com/fiorix/go-diameter/v4/diam/avp"
	"github.com/fiorix/go-diameter/v4/diam/datatype"
	"github.com/fiorix/go-diameter/v4/diam/sm"
)

const (
	host        = datatype.DiameterIdentity("charging.example.net")
	realm       = datatype.DiameterIdentity("example.net")
	application = 4
	// What is granted, and for how many seconds.
	grantedOctets = 1_000_000
	validity      = 600
)

// serve answers requests at an address.
func serve(address string) error {
	machine := sm.New(&sm.Settings{
		OriginHost:      host,
		OriginRealm:     realm,
		ProductName:     "go-diameter",
		HostIPAddresses: []datatype.Address{datatype.Address(net.ParseIP("127.0.0.1"))},
	})
	// Found by its numbers, a handler costs less than by its name.
	machine.HandleIdx(
		diam.CommandIndex{AppID: application, Code: diam.CreditControl, Request: true}, diam.HandlerFunc(grant))
	machine.HandleIdx(
		diam.CommandIndex{AppID: 0, Code: diam.DisconnectPeer, Request: true}, diam.HandlerFunc(disconnect))
	go func() {
		for report := range machine.ErrorReports() {
			log.Print(report)
		}
	}()
	return diam.ListenAndServeNetwork("tcp", address, machine, nil)
}

// request is what an answer takes from its request. Unmarshal would read the same by reflection.
type request struct {
	session datatype.UTF8String
	kind    datatype.Enumerated
	number  datatype.Unsigned32
	groups  []datatype.Unsigned32
}

func read(message *diam.Message) (it request) {
	for _, of := range message.AVP {
		switch of.Code {
		case avp.SessionID:
			it.session, _ = of.Data.(datatype.UTF8String)
		case avp.CCRequestType:
			it.kind, _ = of.Data.(datatype.Enumerated)
		case avp.CCRequestNumber:
			it.number, _ = of.Data.(datatype.Unsigned32)
		case avp.MultipleServicesCreditControl:
			if service, ok := of.Data.(*diam.GroupedAVP); ok {
				it.groups = append(it.groups, ratingGroup(service))
			}
		}
	}
	return it
}

func ratingGroup(service *diam.GroupedAVP) (group datatype.Unsigned32) {
	for _, of := range service.AVP {
		if of.Code == avp.RatingGroup {
			group, _ = of.Data.(datatype.Unsigned32)
		}
	}
	return group
}

// grant answers a request of credit control: each service has what it wants.
func grant(connection diam.Conn, message *diam.Message) {
	it := read(message)
	answer := message.Answer(0)
	// The library takes an identifier of 0 for none, and makes one.
	answer.Header.HopByHopID = message.Header.HopByHopID
	answer.Header.EndToEndID = message.Header.EndToEndID
	answer.NewAVP(avp.SessionID, avp.Mbit, 0, it.session)
	answer.NewAVP(avp.ResultCode, avp.Mbit, 0, datatype.Unsigned32(diam.Success))
	answer.NewAVP(avp.OriginHost, avp.Mbit, 0, host)
	answer.NewAVP(avp.OriginRealm, avp.Mbit, 0, realm)
	answer.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(application))
	answer.NewAVP(avp.CCRequestType, avp.Mbit, 0, it.kind)
	answer.NewAVP(avp.CCRequestNumber, avp.Mbit, 0, it.number)
	for _, ratingGroup := range it.groups {
		answer.AddAVP(group(avp.MultipleServicesCreditControl,
			group(avp.GrantedServiceUnit, diam.NewAVP(avp.CCTotalOctets, avp.Mbit, 0, datatype.Unsigned64(grantedOctets))),
			diam.NewAVP(avp.ValidityTime, avp.Mbit, 0, datatype.Unsigned32(validity)),
			diam.NewAVP(avp.RatingGroup, avp.Mbit, 0, ratingGroup),
			diam.NewAVP(avp.ResultCode, avp.Mbit, 0, datatype.Unsigned32(diam.Success))))
	}
	send(connection, answer)
}

// disconnect answers a client that is about to leave, and leaves the rest to it.
func disconnect(connection diam.Conn, message *diam.Message) {
	answer := message.Answer(diam.Success)
	answer.NewAVP(avp.OriginHost, avp.Mbit, 0, host)
	answer.NewAVP(avp.OriginRealm, avp.Mbit, 0, realm)
	send(connection, answer)
}

func send(connection diam.Conn, answer *diam.Message) {
	if _, err := answer.WriteTo(connection); err != nil {
		log.Printf("cannot answer %v: %v", connection.RemoteAddr(), err)
		connection.Close()
	}
}

func group(code uint32, members ...*diam.AVP) *diam.AVP {
	return diam.NewAVP(code, avp.Mbit, 0, &diam.GroupedAVP{AVP: members})
}
