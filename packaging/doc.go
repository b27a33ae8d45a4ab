// Package packaging holds what is needed to run Weft as a service: a unit for
// systemd and a Dockerfile. Its tests check both, the steps of the Dockerfile
// by running them.
package packaging
