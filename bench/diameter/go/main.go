// A server of credit control made with go-diameter, for `make bench-diameter`. It answers and charges nothing.
//
//	server serve ADDRESS    serves until it is ended
//	server codec COUNT      writes and reads so many requests, and prints the nanoseconds of one, and the sum of all values
package main

import (
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"strconv"
)

// The collector runs less often than it does without a setting. More than this makes hardly any difference.
const collectorPercent = 400

func main() {
	log.SetFlags(0)
	debug.SetGCPercent(collectorPercent)
	if len(os.Args) != 3 {
		log.Fatal("usage: serve ADDRESS | codec COUNT")
	}
	switch os.Args[1] {
	case "serve":
		log.Fatal(serve(os.Args[2]))
	case "codec":
		count, err := strconv.ParseUint(os.Args[2], 10, 32)
		if err != nil {
			log.Fatalf("\"%s\" is not a count", os.Args[2])
		}
		nanoseconds, sum := measureCodec(uint32(count))
		fmt.Printf("%.1f %d\n", nanoseconds, sum)
	default:
		log.Fatalf("there is no \"%s\"", os.Args[1])
	}
}
