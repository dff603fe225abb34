package certs

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The keys of the Secret's data, beside tls.crt and tls.key.
const (
	keyCA         = "ca.crt"
	keyCAKey      = "ca.key"
	keyNextCA     = "next-ca.crt"
	keyNextCAKey  = "next-ca.key"
	keyPreviousCA = "previous-ca.crt"
)

// The Secret's annotations.
const (
	prefix                = "drawbridge-dra.github.io/"
	annotationFormat      = prefix + "certificates"
	annotationGeneration  = prefix + "generation"
	annotationSince       = prefix + "next-ca-trusted-since"
	annotationUsed        = prefix + "ca-used-until"
	annotationPrevious    = prefix + "previous-ca-used-until"
	annotationDescription = "kubernetes.io/description"
	format                = "v1"
)

// state is what the replicas share. It is never changed, only replaced.
type state struct {
	generation int64
	serving    *tls.Certificate
	current    authority
	usedUntil  time.Time // no certificate of current is valid for longer

	next         *authority
	trustedSince time.Time // zero: next is not known to be trusted everywhere

	previous      *authority
	previousUntil time.Time // no certificate of previous is valid for longer
}

// bundle is what API servers have to trust.
func (s *state) bundle() []byte {
	out := encodeCertificate(s.current.certificate)
	for _, a := range []*authority{s.next, s.previous} {
		if a != nil {
			out = append(out, encodeCertificate(a.certificate)...)
		}
	}
	return out
}

// errForeign is a Secret that somebody else made.
var errForeign = errors.New("the Secret has data and no annotation " + annotationFormat + ", so it is not ours and stays as it is; name another by --certs-secret, or delete it")

// errNewer is a Secret that this version does not understand.
var errNewer = errors.New("the Secret was written by another version of Drawbridge and stays as it is; let all replicas be of one version, or delete it")

// decode reads the state. An empty Secret, put there for us, is nil.
func decode(secret *corev1.Secret) (*state, error) {
	if secret.Annotations[annotationFormat] == "" {
		for _, value := range secret.Data {
			if len(value) > 0 {
				return nil, errForeign
			}
		}
		return nil, nil
	}
	if got := secret.Annotations[annotationFormat]; got != format {
		return nil, fmt.Errorf("%w: it has format %q and we know %s", errNewer, got, format)
	}
	s := &state{}
	return s, s.read(secret)
}

func (s *state) read(secret *corev1.Secret) error {
	data := secret.Data
	var err error
	if s.generation, err = strconv.ParseInt(secret.Annotations[annotationGeneration], 10, 64); err != nil {
		return fmt.Errorf("annotation %s is not a number", annotationGeneration)
	}
	for name, into := range map[string]*time.Time{annotationSince: &s.trustedSince, annotationUsed: &s.usedUntil, annotationPrevious: &s.previousUntil} {
		text, ok := secret.Annotations[name]
		if !ok {
			continue
		}
		if *into, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return fmt.Errorf("annotation %s is not a time such as 2026-11-29T12:00:00Z", name)
		}
	}
	if s.current, err = decodeAuthority(data[keyCA], notNil(data[keyCAKey])); err != nil {
		return fmt.Errorf("%s: %w", keyCA, err)
	}
	if len(data[keyNextCA]) > 0 {
		next, err := decodeAuthority(data[keyNextCA], notNil(data[keyNextCAKey]))
		if err != nil {
			return fmt.Errorf("%s: %w", keyNextCA, err)
		}
		s.next = &next
	}
	if len(data[keyPreviousCA]) > 0 {
		previous, err := decodeAuthority(data[keyPreviousCA], nil)
		if err != nil {
			return fmt.Errorf("%s: %w", keyPreviousCA, err)
		}
		s.previous = &previous
	}
	pair, err := tls.X509KeyPair(data[corev1.TLSCertKey], data[corev1.TLSPrivateKeyKey])
	if err != nil {
		// The library's words may quote what it was given.
		return fmt.Errorf("%s and %s do not belong together, or cannot be read", corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	s.serving = &pair
	if !s.current.signed(pair.Leaf) {
		return fmt.Errorf("%s is not signed by %s", corev1.TLSCertKey, keyCA)
	}
	return nil
}

// notNil makes a missing key one that cannot be read.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// encode writes the state into a copy of a Secret, whose other labels and
// annotations stay.
func (s *state) encode(into *corev1.Secret) (*corev1.Secret, error) {
	secret := into.DeepCopy()
	data := map[string][]byte{
		keyCA:             encodeCertificate(s.current.certificate),
		corev1.TLSCertKey: encodeCertificate(s.serving.Leaf),
	}
	keys := map[string]any{keyCAKey: s.current.key, corev1.TLSPrivateKeyKey: s.serving.PrivateKey}
	if s.next != nil {
		data[keyNextCA] = encodeCertificate(s.next.certificate)
		keys[keyNextCAKey] = s.next.key
	}
	if s.previous != nil {
		data[keyPreviousCA] = encodeCertificate(s.previous.certificate)
	}
	for name, key := range keys {
		text, err := encodeKey(key)
		if err != nil {
			return nil, err
		}
		data[name] = text
	}
	secret.Data = data
	annotations := map[string]string{}
	maps.Copy(annotations, secret.Annotations)
	annotations[annotationFormat] = format
	annotations[annotationGeneration] = strconv.FormatInt(s.generation, 10)
	annotations[annotationDescription] = "Certificates of Drawbridge's webhook, made and renewed by its replicas; docs/certificates.md describes them."
	for name, t := range map[string]time.Time{annotationSince: s.trustedSince, annotationUsed: s.usedUntil, annotationPrevious: s.previousUntil} {
		delete(annotations, name)
		if !t.IsZero() {
			annotations[name] = t.UTC().Format(time.RFC3339Nano)
		}
	}
	secret.Annotations = annotations
	return secret, nil
}

// newSecret is the frame of a Secret that is not there yet.
func newSecret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name,
			Labels: map[string]string{"app.kubernetes.io/name": "drawbridge", "app.kubernetes.io/managed-by": "drawbridge"},
		},
		Type: corev1.SecretTypeTLS,
	}
}
