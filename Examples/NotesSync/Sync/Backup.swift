public import CloudKit

/// Keeps a folder of notes and the user's private database in step.
///
/// It looks at both at its start, whenever a note changes, when a silent push arrives, when the
/// account changes, and now and then, for pushes that never arrive.
public actor Backup {
  /// How the app does it.
  public struct Settings: Sendable {
    /// Whether to have the server send silent pushes.
    public var hearsPushes = true
    /// From one look to the next, where nothing else happens.
    public var lookInterval = Duration.seconds(300)
    /// Notes in one request, and the bytes of their texts.
    public var batchMax = 50
    public var batchBytesMax = 1_000_000

    public init() {}
  }

  /// Follow each other when something is tried again and again.
  static let pauses: [Duration] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }
  /// Troubles in a row after which even what should help at once waits.
  static let troublesMax = 4

  /// What is to be seen, whenever it changes.
  public nonisolated let overviews: AsyncStream<Overview>

  let container: CKContainer
  let zone: NoteZone
  let folder: NoteFolder
  let settings: Settings
  let account = AccountWatch()
  private let clock: any Clock<Duration>
  private let screen: AsyncStream<Overview>.Continuation

  var state: BackupState
  /// What the server refuses, and why.
  var refused: [NoteChange: String] = [:]
  var batchMax: Int
  /// What went wrong last; nil: nothing.
  var message: String?
  /// What has happened that the user should know.
  var notice: String?
  /// Failures since something last succeeded.
  var troubles = 0
  private(set) var isWorking = false
  private(set) var lastLook: Date?
  private var lastShown: Overview?
  private var lastSeen: NoteFolder.Contents?

  private var isRunning = false
  /// Whether there is reason to look.
  private var isWanted = false
  /// Whether the server has asked for a pause.
  private var isResting = false
  private var work: Task<Void, Never>?
  private var alarm: Task<Void, Never>?
  private var listening: Task<Void, Never>?

  /// - Parameters:
  ///   - container: whose private database the notes go to.
  ///   - clock: for what is done later; a test's may move by itself.
  public init(
    of folder: NoteFolder, in container: CKContainer = .default(), settings: Settings = Settings(),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.folder = folder
    self.container = container
    self.settings = settings
    self.clock = clock
    zone = NoteZone(database: container.privateCloudDatabase)
    state = folder.state() ?? BackupState()
    batchMax = settings.batchMax
    (overviews, screen) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Begins: a first time with everything, later with what has changed since.
  public func start() {
    if isRunning { return }
    isRunning = true
    account.begin { [weak self] in Task { await self?.lookAtAccount() } }
    if settings.hearsPushes {
      listening = Task { [weak self, notifications = container.remoteNotifications] in
        for await notification in notifications { await self?.hear(notification) }
      }
    }
    look()
  }

  /// Ends; what is under way is waited for.
  public func stop() async {
    isRunning = false
    account.end()
    listening?.cancel()
    alarm?.cancel()
    await settled()
    screen.finish()
  }

  /// Looks what has changed, here and on the server.
  public func look() {
    refused = [:]
    want()
  }

  /// Waits until nothing more is under way.
  public func settled() async { while let work { await work.value } }

  /// Sends what has changed in the folder since the last call, whoever changed it.
  public func lookAtFolder() {
    guard let contents = try? folder.contents(), contents != lastSeen else { return }
    lastSeen = contents
    want()
    show()
  }

  public func write(_ text: String, as name: String) throws {
    try folder.write(text, as: name)
    notice = nil
    want()
    show()
  }

  public func remove(_ name: String) throws {
    try folder.remove(name)
    want()
    show()
  }

  /// Backs up again, or for the first time after everything was deleted.
  public func switchOn() throws {
    state.isOn = true
    state.isDeleting = false
    state.reasonForOff = nil
    try folder.keep(state)
    look()
    show()
  }

  /// Keeps the notes on this device to themselves; the backup stays as it is.
  public func switchOff() throws {
    state.isOn = false
    try folder.keep(state)
    show()
  }

  /// Deletes the backup, and once that is done the notes on this device. The wish outlasts a
  /// missing network and the end of the app; switching the backup on takes it back.
  public func deleteEverything() throws {
    state.isDeleting = true
    try folder.keep(state)
    look()
    show()
  }

  /// Looks if somebody else is signed in, or if the account may have been in the way.
  private func lookAtAccount() async {
    if message == nil, let last = state.user {
      let user = try? await account.settle {
        let user = try await container.userRecordID().recordName
        if user != last { throw AccountWatch.MayHaveChanged() }
        return user
      }
      if user != nil { return }
    }
    look()
  }

  private func hear(_ notification: CKNotification) {
    // NB: what has changed it does not say; it may also stand for others that were lost.
    if notification.subscriptionID == Note.subscriptionID { want() }
  }

  private func want() {
    isWanted = true
    if work == nil, isRunning, !isResting { work = Task { await workOn() } }
  }

  private func workOn() async {
    isWorking = true
    show()
    while isWanted, isRunning, !isResting {
      isWanted = false
      alarm?.cancel()
      setAlarm(await goRound())
    }
    isWorking = false
    work = nil
    show()
  }

  /// Goes once through everything.
  ///
  /// - Returns: what comes next.
  private func goRound() async -> Pause {
    do {
      try await backUp()
      troubles = 0
      message = nil
      if state.isOn { lastLook = Date() }
      return .until(settings.lookInterval)
    } catch {
      return await answer(error)
    }
  }

  private func setAlarm(_ pause: Pause) {
    let wait: Duration
    switch pause {
    case .none: return want()
    case .until(let duration): wait = duration
    case .asked(let duration): (wait, isResting) = (duration, true)
    }
    alarm = Task { [weak self, clock] in
      if (try? await clock.sleep(for: wait)) != nil { await self?.ring() }
    }
  }

  private func ring() {
    isResting = false
    look()
  }

  /// Shows what has changed.
  func show() {
    let overview = makeOverview()
    if overview != lastShown { screen.yield(overview) }
    lastShown = overview
  }
}

/// How long the backup waits for the next look.
enum Pause {
  case none
  /// Unless something happens before.
  case until(Duration)
  /// Whatever happens: the server wants it.
  case asked(Duration)
}
