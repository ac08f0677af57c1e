import StratusDomain

/// The page that the browser opens after a sign-in. The forms of the sign-in keep it in hidden
/// fields.
struct SignInGoal {
  /// The app that the user signs in to, or nil if there is none.
  var app: AskingApp?
  /// The ID of the share whose page the user opens, or nil if there is none.
  var share: String?
  /// The code of the device that the user signs in. It is empty if the user has not typed it yet,
  /// and nil if there is no device.
  var device: String?

  /// The path of the page that the browser opens after the sign-in.
  var path: String {
    if let app { return "/auth/sign-in?request=" + app.text }
    if let share { return "/share/" + share }
    guard let device else { return "/account" }
    return device.isEmpty ? DevicePage.path : DevicePage.path(code: device)
  }

  /// The path of the page with the sign-in form for this goal. For a goal with a ``reason``, the
  /// goal's own page shows the form.
  var formPath: String { reason == nil ? "/auth/sign-in" : path }

  /// Whether the page keeps the fragment of its URL. The page of a share needs the fragment.
  var keepsFragment: Bool { share != nil }

  /// The sentence below the heading of the form, or nil if there is none.
  var reason: HTML? {
    if let app {
      return "<p>to use <strong>\(app.store.container)</strong> in <strong>\(app.name)</strong></p>"
    }
    if share != nil { return "<p>to open what somebody shares with you</p>" }
    return device == nil ? nil : "<p>to sign in a device</p>"
  }

  /// The fields of a form or a URL that keep the goal.
  var values: [String: String] {
    var values: [String: String] = [:]
    values["request"] = app?.text
    values["share"] = share
    values["device"] = device
    return values
  }

  /// The hidden fields, except those that every form has.
  var fields: HTML {
    HTML(
      values.sorted { $0.key < $1.key }.map { name, value -> HTML in
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
      })
  }
}

/// The outcome of reading a goal.
enum SignInGoalQuestion {
  case goal(SignInGoal)
  /// The app's request has expired, or is not allowed. The page says so.
  case refused(PageAnswer)
}

extension AccountPages {
  /// Reads the goal in the fields of a form or of a URL's query.
  func goal(in form: [String: String]) async throws(ServerError) -> SignInGoalQuestion {
    var goal = SignInGoal()
    if let text = form["request"] {
      switch try await question(text) {
      case .refused(let page): return .refused(page)
      case .app(let app): goal.app = app
      }
    }
    goal.share = form["share"].flatMap { ShareDesk.isPlausible($0) ? $0 : nil }
    goal.device = form["device"].map { UserCode.read($0) ?? "" }
    return .goal(goal)
  }
}
