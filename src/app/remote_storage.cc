#include "app/remote_storage.h"

#include "http/curl/curl_client.h"
#include "objstore/aws/default_chain.h"
#include "objstore/gcs/gcs_store.h"
#include "objstore/probe.h"
#include "objstore/s3/s3_store.h"
#include "objstore/store_stack.h"
#include "rt/asio/commands.h"
#include "rt/asio/loop_thread.h"
#include "rt/asio/random.h"

namespace weir::app {
namespace {

/// Between two tries to reach a store at the start.
constexpr Duration kReachPause = 500ms;
/// Between two looks for uploads that somebody left behind.
constexpr Duration kSweepPause = 24h;

std::vector<std::string_view> credential_options() {
  return {objstore::aws::kCredentialOptions.begin(), objstore::aws::kCredentialOptions.end()};
}

}  // namespace

/// In the order of construction; each borrows from those before it.
struct RemoteStorage::Running {
  Running(Parts given, const std::string& label)
      : parts(given),
        thread("store"),
        gate({parts.loop, parts.random, parts.metrics, label}),
        background(parts.loop),
        stopping_changed(parts.loop) {}

  Result<void> open_s3(const objstore::StoreUrl& url, const std::string& label);
  Result<void> open_gcs(const objstore::StoreUrl& url, const std::string& label);
  void connect(http::curl::CurlOptions options) {
    client = std::make_unique<http::curl::CurlClient>(thread.loop(), std::move(options));
  }
  /// Puts the stack around a driver that has just been made.
  void wrap(std::string label, objstore::StoreKind kind, bool hedge) {
    stack = std::make_unique<objstore::StoreStack>(
        *driver, gate, objstore::StoreStack::Parts{parts.loop, parts.random, parts.metrics},
        objstore::StoreStack::Options{
            .label = std::move(label), .prices = objstore::list_prices(kind), .hedge = hedge});
  }
  rt::Task<Result<void>> reach(MonoTime deadline);
  rt::Task<void> sweep_uploads();

  Parts parts;
  rt::asio::LoopThread thread;
  /// Of the thread, as credentials are.
  rt::asio::SystemRandom random;
  rt::asio::ShellCommands commands;
  std::unique_ptr<http::curl::CurlClient> client;
  objstore::RequestGate gate;
  std::unique_ptr<objstore::aws::ChainCredentials> credentials;
  std::unique_ptr<objstore::gcs::Tokens> tokens;
  std::unique_ptr<objstore::ObjectStore> driver;
  objstore::s3::S3Store* s3 = nullptr;
  std::unique_ptr<objstore::StoreStack> stack;
  rt::Scope background;
  rt::Event stopping_changed;
  bool stopping = false;
};

RemoteStorage::RemoteStorage(std::unique_ptr<Running> running) : running_(std::move(running)) {}
RemoteStorage::~RemoteStorage() = default;

bool RemoteStorage::serves(const objstore::StoreUrl& url) {
  return url.scheme == "s3" || url.scheme == "gs";
}

Result<void> RemoteStorage::Running::open_s3(const objstore::StoreUrl& url,
                                             const std::string& label) {
  auto options = objstore::s3::s3_options(url, parts.environment, credential_options());
  if (!options) return std::unexpected(options.error());
  auto who = objstore::aws::credentials_options(url);
  if (!who) return std::unexpected(who.error());
  who->region = options->region;
  connect({.ca_file = options->ca_file, .proxy = options->proxy});
  objstore::aws::Surroundings in{*client, parts.workers, parts.files, commands, parts.environment};
  credentials = std::make_unique<objstore::aws::ChainCredentials>(
      objstore::aws::ChainCredentials::Parts{in, random, parts.logger}, std::move(*who));
  auto kind =
      options->is_directory_bucket() ? objstore::StoreKind::s3_express : objstore::StoreKind::s3;
  // Without a checksum ahead of a body, an attempt that lost could store what changed meanwhile.
  bool hedge = options->checksum;
  auto store = std::make_unique<objstore::s3::S3Store>(
      objstore::s3::S3Store::Parts{parts.loop, *client, *credentials, gate}, std::move(*options));
  s3 = store.get();
  driver = std::move(store);
  wrap(label, kind, hedge);
  return {};
}

Result<void> RemoteStorage::Running::open_gcs(const objstore::StoreUrl& url,
                                              const std::string& label) {
  auto options = objstore::gcs::gcs_options(url, parts.environment);
  if (!options) return std::unexpected(options.error());
  connect({.ca_file = options->ca_file, .proxy = options->proxy});
  if (!options->anonymous)
    tokens = std::make_unique<objstore::gcs::Tokens>(
        objstore::gcs::Tokens::Parts{client->loop(), random, parts.logger},
        objstore::gcs::token_source({*client, parts.workers, parts.files, parts.environment},
                                    options->credentials_file));
  driver = std::make_unique<objstore::gcs::GcsStore>(
      objstore::gcs::GcsStore::Parts{parts.loop, *client, tokens.get(), gate}, std::move(*options));
  wrap(label, objstore::StoreKind::gcs, true);
  return {};
}

Result<std::unique_ptr<RemoteStorage>> RemoteStorage::open(Parts parts,
                                                           const objstore::StoreUrl& url,
                                                           std::string label) {
  auto running = std::make_unique<Running>(parts, label);
  WEIR_TRY(url.scheme == "s3" ? running->open_s3(url, label) : running->open_gcs(url, label));
  return std::unique_ptr<RemoteStorage>(new RemoteStorage(std::move(running)));
}

objstore::ObjectStore& RemoteStorage::store() { return running_->stack->by_verb(); }

objstore::ObjectStore& RemoteStorage::of(objstore::RequestClass c) {
  return running_->stack->of(c);
}

/// One cheap request, repeated while its fault may pass, so that the reason is known in seconds.
rt::Task<Result<void>> RemoteStorage::Running::reach(MonoTime deadline) {
  if (s3) co_return co_await s3->reach(deadline);
  for (;;) {
    auto page = co_await driver->list("probe/", "");
    if (page) co_return Result<void>();
    bool passing = page.error().is(ErrorCode::unavailable) || page.error().is(ErrorCode::timed_out);
    if (!passing || parts.loop.now() + kReachPause >= deadline)
      co_return with_context(std::move(page).error(), "reaching the store");
    co_await rt::sleep_for(parts.loop, kReachPause);
  }
}

/// Parts of uploads that never ended cost money, and nothing else shows them.
rt::Task<void> RemoteStorage::Running::sweep_uploads() {
  while (!stopping) {
    auto aborted = co_await s3->abort_stale_uploads();
    if (!aborted)
      parts.logger.warn("stale_uploads_not_ended", {{"error", describe(aborted.error())}});
    else if (*aborted > 0)
      parts.logger.info("stale_uploads_ended", {{"count", *aborted}});
    MonoTime next = parts.loop.now() + kSweepPause;
    while (!stopping && parts.loop.now() < next) co_await stopping_changed.wait_until(next);
  }
}

rt::Task<Result<void>> RemoteStorage::start(MonoTime deadline, Access access) {
  WEIR_CO_TRY(co_await running_->reach(deadline));
  if (access == Access::read_only) co_return Result<void>();
  auto probed =
      co_await objstore::probe_store({store(), running_->parts.loop, running_->parts.random});
  if (!probed) co_return std::unexpected(std::move(probed).error());
  running_->parts.logger.info(*probed ? "store_reached" : "store_probed",
                              {{"store", running_->driver->describe()}});
  if (running_->s3) running_->background.spawn(running_->sweep_uploads());
  co_return Result<void>();
}

rt::Task<void> RemoteStorage::cut() {
  co_await rt::resume_on(running_->client->loop());
  co_await running_->client->stop();
  co_await rt::resume_on(running_->parts.loop);
}

rt::Task<void> RemoteStorage::stop() {
  rt::Loop& home = running_->parts.loop;
  running_->stopping = true;
  running_->stopping_changed.notify_all();
  co_await running_->background.join();
  co_await running_->stack->stop();
  co_await rt::resume_on(running_->client->loop());
  if (running_->credentials) co_await running_->credentials->stop();
  if (running_->tokens) co_await running_->tokens->stop();
  co_await running_->client->stop();
  co_await rt::resume_on(home);
}

}  // namespace weir::app
