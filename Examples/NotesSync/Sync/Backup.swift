public import CloudKit

/// Syncs a folder of notes with the user's private database.
///
/// It checks the folder and the database when it starts, when a note or the account changes, and
/// when a silent push arrives. It also checks at intervals, because a push may be lost.
public actor Backup {
  /// The settings of the app.
  public struct Settings: Sendable {
    /// Whether the app asks the server for silent pushes.
    public var hearsPushes = true
    /// The time between two checks if no other event causes a check.
    public var lookInterval = Duration.seconds(300)
    /// The maximum number of notes in one request.
    public var batchMax = 50
    /// The maximum number of bytes of the texts in one request.
    public var batchBytesMax = 1_000_000

    public init() {}
  }

  /// The pauses between retries.
  static let pauses: [Duration] = [1, 2, 4, 8, 16, 32, 60].map { .seconds($0) }
  /// After this number of consecutive failures, the app pauses even before a remedy that it usually
  /// applies at once, such as a smaller request.
  static let troublesMax = 4

  /// Delivers a new overview after each change of the state.
  public nonisolated let overviews: AsyncStream<Overview>

  let container: CKContainer
  let zone: NoteZone
  let folder: NoteFolder
  let settings: Settings
  let account = AccountWatch()
  private let clock: any Clock<Duration>
  private let screen: AsyncStream<Overview>.Continuation

  var state: BackupState
  /// The notes that the server refuses, with the reasons.
  var refused: [NoteChange: String] = [:]
  var batchMax: Int
  /// The last error, or nil if there is none.
  var message: String?
  /// A notice for the user that is not an error, such as that two texts were merged.
  var notice: String?
  /// The number of failures since the last successful sync.
  var troubles = 0
  private(set) var isWorking = false
  private(set) var lastLook: Date?
  private var lastShown: Overview?
  private var lastSeen: NoteFolder.Contents?

  private var isRunning = false
  /// Whether a check is due.
  private var isWanted = false
  /// Whether the server has asked for a pause.
  private var isResting = false
  private var work: Task<Void, Never>?
  private var alarm: Task<Void, Never>?
  private var listening: Task<Void, Never>?

  /// - Parameters:
  ///   - container: the container whose private database stores the notes.
  ///   - clock: the clock of the pauses. A test can pass its own clock.
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

  /// Starts the backup. The first start sends all notes, and a later start sends only the changes
  /// since the last run.
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

  /// Stops the backup after the work in progress.
  public func stop() async {
    isRunning = false
    account.end()
    listening?.cancel()
    alarm?.cancel()
    await settled()
    screen.finish()
  }

  /// Checks for changes in the folder and on the server.
  public func look() {
    refused = [:]
    want()
  }

  /// Waits until no work is in progress.
  public func settled() async { while let work { await work.value } }

  /// Sends the changes in the folder since the last call, regardless of which program made them.
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

  /// Switches the backup on, for example after the user has deleted everything.
  public func switchOn() throws {
    state.isOn = true
    state.isDeleting = false
    state.reasonForOff = nil
    try folder.keep(state)
    look()
    show()
  }

  /// Switches the backup off. The notes stay on this device, and the backup stays on the server.
  public func switchOff() throws {
    state.isOn = false
    try folder.keep(state)
    show()
  }

  /// Deletes the backup, and then the notes on this device. If there is no network or the app ends,
  /// the deletion continues later. It is cancelled if the user switches the backup on.
  public func deleteEverything() throws {
    state.isDeleting = true
    try folder.keep(state)
    look()
    show()
  }

  /// Checks for changes, unless the last sync succeeded and the same user is still signed in. A
  /// failed sync may have failed because of the account.
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
    // NB: a push does not say what has changed, and it may replace other pushes.
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

  /// Runs one complete sync.
  ///
  /// - Returns: the pause before the next sync, and what can end the pause.
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

  /// Publishes the current state.
  func show() {
    let overview = makeOverview()
    if overview != lastShown { screen.yield(overview) }
    lastShown = overview
  }
}

/// The pause before the next check.
enum Pause {
  case none
  /// A change or a push ends the pause early.
  case until(Duration)
  /// Nothing ends the pause early, because the server requested it.
  case asked(Duration)
}
