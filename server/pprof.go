package server

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/drawbridge-dra/drawbridge/server/problem"
)

// profiles serves Go's profiles. They tell what is in memory, so they are only
// for who is on the machine or in the pod.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A page in a browser on this machine may have a name of its own
		// point here.
		if host, _, err := net.SplitHostPort(r.Host); err != nil || !loopback(host) {
			problem.Write(w, http.StatusForbidden, "profiles are for the loopback address only; ask by 127.0.0.1 or localhost")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// checkPprof refuses an address that others could reach.
func checkPprof(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--pprof-listen is %q; it must be a loopback address and a port, such as 127.0.0.1:6060", address)
	}
	if !loopback(host) {
		return fmt.Errorf("--pprof-listen is %q, which others could reach; profiles show what is in memory, so it must be a loopback address such as 127.0.0.1:6060", address)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
