#include "base/metrics.h"

#include <bit>
#include <cstdio>

#include "base/ensure.h"

namespace weir {

void Histogram::observe(std::uint64_t v) {
  // Bucket i holds values up to 2^i.
  std::size_t i = v <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(v - 1));
  buckets_[i < kBuckets ? i : kBuckets - 1].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(v, std::memory_order_relaxed);
}

Metrics::Series& Metrics::series(Kind kind, std::string_view name, std::string_view help,
                                 double scale, std::string_view labels) {
  std::lock_guard lock(mutex_);
  Family* family = nullptr;
  for (Family& f : families_)
    if (f.name == name) family = &f;
  if (!family) {
    families_.emplace_back();
    family = &families_.back();
    family->name = name;
    family->help = help.substr(0, help.size() - (help.ends_with('.') ? 1 : 0));
    family->kind = kind;
    family->scale = scale;
  }
  ENSURE(family->kind == kind);
  for (Series& s : family->series)
    if (s.labels == labels) return s;
  family->series.emplace_back();
  family->series.back().labels = labels;
  return family->series.back();
}

Counter& Metrics::counter(std::string_view name, std::string_view help, std::string_view labels) {
  return series(Kind::counter, name, help, 1, labels).counter;
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, std::string_view labels) {
  return series(Kind::gauge, name, help, 1, labels).gauge;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, double scale,
                              std::string_view labels) {
  return series(Kind::histogram, name, help, scale, labels).histogram;
}

void Metrics::add_source(const MetricsSource& source) {
  std::lock_guard lock(mutex_);
  sources_.push_back(&source);
}

void Metrics::remove_source(const MetricsSource& source) {
  std::lock_guard lock(mutex_);
  std::erase(sources_, &source);
}

namespace {

void append_sample(std::string& out, std::string_view name, std::string_view suffix,
                   std::string_view labels, std::string_view value) {
  out.append(name).append(suffix);
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(value).append("\n");
}

/// A labelled histogram that is not yet is not rendered: there are some forty lines to each.
bool is_used(const Histogram& histogram) {
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i)
    if (histogram.bucket(i) != 0) return true;
  return false;
}

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

}  // namespace

void Metrics::render_histogram(std::string& out, const Family& family, const Series& s) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    count += s.histogram.bucket(i);
    bool last = i + 1 == Histogram::kBuckets;
    std::string bound = last ? "+Inf" : number(static_cast<double>(1ull << i) * family.scale);
    std::string labels = s.labels.empty() ? "" : s.labels + ",";
    append_sample(out, family.name, "_bucket", labels + "le=\"" + bound + "\"",
                  std::to_string(count));
  }
  append_sample(out, family.name, "_sum", s.labels,
                number(static_cast<double>(s.histogram.sum()) * family.scale));
  append_sample(out, family.name, "_count", s.labels, std::to_string(count));
}

std::string Metrics::render() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const Family& family : families_) {
    static constexpr const char* kTypes[] = {"counter", "gauge", "histogram"};
    out.append("# HELP ").append(family.name).append(" ").append(family.help).append("\n");
    out.append("# TYPE ")
        .append(family.name)
        .append(" ")
        .append(kTypes[static_cast<int>(family.kind)])
        .append("\n");
    for (const Series& s : family.series) {
      if (family.kind == Kind::counter)
        append_sample(out, family.name, "", s.labels, std::to_string(s.counter.value()));
      else if (family.kind == Kind::gauge)
        append_sample(out, family.name, "", s.labels, std::to_string(s.gauge.value()));
      else if (s.labels.empty() || is_used(s.histogram))
        render_histogram(out, family, s);
    }
  }
  for (const MetricsSource* source : sources_) source->render_metrics(out);
  return out;
}

}  // namespace weir
