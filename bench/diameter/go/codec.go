package main

import (
	"bytes"
	"log"
	"time"

	"github.com/fiorix/go-diameter/v4/diam"
	"github.com/fiorix/go-diameter/v4/diam/avp"
	"github.com/fiorix/go-diameter/v4/diam/datatype"
	"github.com/fiorix/go-diameter/v4/diam/dict"
)

const client = datatype.DiameterIdentity("load-0.example.net")

var begun = datatype.Time(time.Unix(1_700_000_000, 0))

// measureCodec writes and reads requests of 11 AVPs. It returns the nanoseconds of one, and the sum of all values.
func measureCodec(count uint32) (nanoseconds float64, sum uint64) {
	var buffer bytes.Buffer
	start := time.Now()
	for number := range count {
		buffer.Reset()
		if _, err := update(number).WriteTo(&buffer); err != nil {
			log.Fatalf("cannot write: %v", err)
		}
		message, err := diam.ReadMessage(&buffer, dict.Default)
		if err != nil {
			log.Fatalf("cannot read: %v", err)
		}
		sum += sumOf(message.AVP)
	}
	return float64(time.Since(start).Nanoseconds()) / float64(count), sum
}

// update returns the request of a session that goes on.
func update(number uint32) *diam.Message {
	request := diam.NewRequest(diam.CreditControl, application, dict.Default)
	request.NewAVP(avp.SessionID, avp.Mbit, 0, datatype.UTF8String("load-0.example.net;1700000000;0000000000000001"))
	request.NewAVP(avp.OriginHost, avp.Mbit, 0, client)
	request.NewAVP(avp.OriginRealm, avp.Mbit, 0, realm)
	request.NewAVP(avp.DestinationRealm, avp.Mbit, 0, realm)
	request.NewAVP(avp.AuthApplicationID, avp.Mbit, 0, datatype.Unsigned32(application))
	request.NewAVP(avp.ServiceContextID, avp.Mbit, 0, datatype.UTF8String("32251@3gpp.org"))
	request.NewAVP(avp.CCRequestType, avp.Mbit, 0, datatype.Enumerated(2))
	request.NewAVP(avp.CCRequestNumber, avp.Mbit, 0, datatype.Unsigned32(number))
	request.NewAVP(avp.EventTimestamp, avp.Mbit, 0, begun)
	request.AddAVP(group(avp.SubscriptionID,
		diam.NewAVP(avp.SubscriptionIDType, avp.Mbit, 0, datatype.Enumerated(0)),
		diam.NewAVP(avp.SubscriptionIDData, avp.Mbit, 0, datatype.UTF8String("46701000001"))))
	request.AddAVP(group(avp.MultipleServicesCreditControl,
		units(avp.RequestedServiceUnit, 1_000_000),
		units(avp.UsedServiceUnit, 500_000),
		diam.NewAVP(avp.RatingGroup, avp.Mbit, 0, datatype.Unsigned32(100))))
	return request
}

func units(code uint32, octets uint64) *diam.AVP {
	return group(code, diam.NewAVP(avp.CCTotalOctets, avp.Mbit, 0, datatype.Unsigned64(octets)))
}

// sumOf adds the numbers and the lengths of the texts.
func sumOf(avps []*diam.AVP) (sum uint64) {
	for _, of := range avps {
		switch data := of.Data.(type) {
		case datatype.UTF8String:
			sum += uint64(len(data))
		case datatype.DiameterIdentity:
			sum += uint64(len(data))
		case datatype.Unsigned32:
			sum += uint64(data)
		case datatype.Unsigned64:
			sum += uint64(data)
		case datatype.Enumerated:
			sum += uint64(data)
		case datatype.Time:
			sum += uint64(time.Time(data).Unix())
		case *diam.GroupedAVP:
			sum += sumOf(data.AVP)
		default:
			log.Fatalf("the AVP %d has an unexpected type: %T", of.Code, data)
		}
	}
	return sum
}
