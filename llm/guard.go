package llm

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// Guard decides which addresses may be called. It is asked after names are
// resolved, for each connection, redirects included, so that a name cannot be
// made to lead inside.
//
//   - Addresses of services of clouds that give out credentials, link-local
//     ones, and those that belong to no machine are always refused.
//   - This machine and private networks are allowed if the endpoint is written
//     as such: an address, localhost, a name without dots, or one that ends in
//     .local, .lan, .internal, .home.arpa or .localhost. Local model servers are
//     the usual case.
//   - Otherwise they are refused unless Private is set.
type Guard struct {
	Private bool
}

// GuardFor returns the guard for an endpoint.
func GuardFor(endpoint *url.URL, allowPrivate bool) Guard {
	host := strings.ToLower(strings.TrimSuffix(endpoint.Hostname(), "."))
	if allowPrivate || host == "localhost" || !strings.Contains(host, ".") {
		return Guard{Private: true}
	}
	if ip, err := netip.ParseAddr(host); err == nil && inside(ip.Unmap()) {
		return Guard{Private: true}
	}
	for _, end := range []string{".local", ".lan", ".internal", ".home.arpa", ".localhost"} {
		if strings.HasSuffix(host, end) {
			return Guard{Private: true}
		}
	}
	return Guard{}
}

var (
	sharedSpace = netip.MustParsePrefix("100.64.0.0/10")
	// Services of clouds that tell a machine its credentials. The well-known
	// one, 169.254.169.254, is link-local.
	metadata = []netip.Addr{netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("192.0.0.192")}
	nat64    = netip.MustParsePrefix("64:ff9b::/96")
)

func inside(ip netip.Addr) bool {
	return ip.IsLoopback() || ip.IsPrivate() || sharedSpace.Contains(ip) || ip.IsUnspecified()
}

// Check returns an error if an address may not be called.
func (g Guard) Check(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	for _, m := range metadata {
		if ip == m {
			return fmt.Errorf("%s gives out the credentials of a machine: it is never called", ip)
		}
	}
	switch {
	case ip.IsLinkLocalUnicast():
		return fmt.Errorf("%s is link-local, where clouds give out credentials: it is never called", ip)
	case ip.IsMulticast(), ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return fmt.Errorf("%s is not the address of one machine", ip)
	case inside(ip) && !g.Private:
		return fmt.Errorf("the name leads to %s, inside this network: if that is meant, set allow_private", ip)
	}
	return nil
}

// unsafeError marks refusals of the guard.
type unsafeError struct{ err error }

func (e *unsafeError) Error() string { return e.err.Error() }

// control is for [net.Dialer]: it sees the address that is really called.
func (g Guard) control(network, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return &unsafeError{fmt.Errorf("%q is no address", address)}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return &unsafeError{fmt.Errorf("%q is no address of the network %s", host, network)}
	}
	if err := g.Check(ip); err != nil {
		return &unsafeError{err}
	}
	return nil
}
