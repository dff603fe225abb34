// Package certs makes the certificates of the webhook and keeps the cluster
// trusting them, without anybody's help.
//
// All replicas share one Secret and none leads. Each looks at the Secret and
// at both webhook configurations, works out what is due, and writes it down;
// the resourceVersion decides who was first, and the others read what that one
// wrote. What is served comes from memory, so an API server that is gone takes
// no certificate away.
//
// # The order that never breaks a handshake
//
// A certificate is served only if every API server trusts its authority by
// then. So a new authority passes through three places of the Secret:
//
//  1. next-ca: in caBundle of every entry that leads to us, and signs nothing.
//     When all configurations were seen to have it, that time is written down;
//     a configuration that loses it sets the time back.
//  2. ca: after the overlap, it signs. Serving certificates are renewed by it.
//  3. previous-ca: only trusted, its key is gone, until the last certificate
//     that it signed has expired and an overlap has passed. A replica that was
//     cut off may have been serving that one all along.
//
// caBundle is always these three, never empty.
//
// # The Secret
//
// It has the type kubernetes.io/tls. Its data:
//
//	tls.crt, tls.key            the serving certificate
//	ca.crt, ca.key              the authority that signed it
//	next-ca.crt, next-ca.key    the authority that will, where there is one
//	previous-ca.crt             the authority before, where there is one
//
// Its annotations, below drawbridge-dra.github.io/:
//
//	certificates                v1; what has not got it is not ours
//	generation                  counts writes; a lower one is an older copy
//	next-ca-trusted-since       when all configurations were seen to have next-ca
//	ca-used-until               when the last certificate of ca expires
//	previous-ca-used-until      when the last certificate of previous-ca does
//
// # Rights
//
// In the namespace of the Secret: create of secrets, which RBAC cannot bind to
// a name, unless an empty Secret of the name is put there beforehand; get,
// list, watch and update of secrets by resourceNames. In the cluster: get,
// list, watch and patch of mutatingwebhookconfigurations and
// validatingwebhookconfigurations by resourceNames.
package certs
