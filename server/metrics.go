package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/weft-memory/weft/world"
)

// metrics are what /metrics tells.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	streams  prometheus.Gauge
}

func newMetrics(worlds *world.Service) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_http_requests_total", Help: "Requests by route, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "weft_http_request_seconds", Help: "How long requests took, streams excepted.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Name: "weft_event_streams", Help: "Streams of events that are open."}),
	}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.seconds, m.streams, newWorkMetrics(worlds))
	stat := func(name, help string, value func(world.Stats) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return value(worlds.Stats()) }))
	}
	stat("weft_segments", "Compiled books in memory.", func(s world.Stats) float64 { return float64(s.Segments) })
	stat("weft_segment_bytes", "Size of the JSON of compiled books in memory.", func(s world.Stats) float64 { return float64(s.SegmentBytes) })
	stat("weft_views", "Conversations that are kept ready.", func(s world.Stats) float64 { return float64(s.Views) })
	stat("weft_turns_open", "Turns that were begun and not finished.", func(s world.Stats) float64 { return float64(s.Turns) })
	counter := func(name, help string, value func(world.Stats) float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return value(worlds.Stats()) }))
	}
	counter("weft_books_compiled_total", "How often a book was compiled.", func(s world.Stats) float64 { return float64(s.Compiled) })
	counter("weft_view_hits_total", "How often a view was found ready.", func(s world.Stats) float64 { return float64(s.ViewHits) })
	counter("weft_view_misses_total", "How often a view was not found ready.", func(s world.Stats) float64 { return float64(s.ViewMisses) })
	counter("weft_view_folds_total", "How often a view was folded from the log.", func(s world.Stats) float64 { return float64(s.ViewFolds) })
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// methodNames bounds the values of a label.
var methodNames = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "OPTIONS": true}

// count counts requests by their route, so that ids make no series of their own.
func (m *metrics) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &counted{ResponseWriter: w}
		route := new(string)
		started := time.Now()
		defer func() {
			name := *route
			if name == "" {
				name = "none"
			}
			if c.status == 0 {
				c.status = http.StatusOK
			}
			method := r.Method
			if !methodNames[method] {
				method = "other"
			}
			m.requests.WithLabelValues(name, method, strconv.Itoa(c.status)).Inc()
			if !strings.HasSuffix(name, "/events") {
				m.seconds.WithLabelValues(name).Observe(time.Since(started).Seconds())
			}
		}()
		next.ServeHTTP(c, withRoute(r, route))
	})
}

// counted is a writer that knows its status.
type counted struct {
	http.ResponseWriter
	status int
}

func (c *counted) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController the writer below.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }
