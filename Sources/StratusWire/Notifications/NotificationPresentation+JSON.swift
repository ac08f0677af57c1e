extension NotificationPayload.Presentation: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if hasAlert {
        writer.key("alert")
        writer.object { writer in
          writer.member("title", title)
          writer.member("title-loc-key", titleLocalizationKey)
          writer.member("title-loc-args", strings: titleLocalizationArgs)
          writer.member("subtitle", subtitle)
          writer.member("subtitle-loc-key", subtitleLocalizationKey)
          writer.member("subtitle-loc-args", strings: subtitleLocalizationArgs)
          writer.member("body", body)
          writer.member("loc-key", localizationKey)
          writer.member("loc-args", strings: localizationArgs)
          writer.member("action-loc-key", actionLocalizationKey)
          writer.member("launch-image", launchImage)
        }
      }
      writer.member("badge", badge.map(Int64.init))
      writer.member("sound", soundName)
      writer.member("category", category)
      if isContentAvailable { writer.member("content-available", 1) }
      if isMutableContent { writer.member("mutable-content", 1) }
    }
  }

  /// Reads a presentation. If `alert` is a string, the string is the `body`.
  public init(json: JSONView) throws(WireError) {
    self.init()
    badge = json["badge"]?.int
    soundName = json["sound"]?.string
    category = json["category"]?.string
    isContentAvailable = json["content-available"]?.int == 1
    isMutableContent = json["mutable-content"]?.int == 1
    guard let alert = json["alert"] else { return }
    body = alert.string ?? alert["body"]?.string
    localizationKey = alert["loc-key"]?.string
    localizationArgs = try alert.strings("loc-args")
    title = alert["title"]?.string
    titleLocalizationKey = alert["title-loc-key"]?.string
    titleLocalizationArgs = try alert.strings("title-loc-args")
    subtitle = alert["subtitle"]?.string
    subtitleLocalizationKey = alert["subtitle-loc-key"]?.string
    subtitleLocalizationArgs = try alert.strings("subtitle-loc-args")
    actionLocalizationKey = alert["action-loc-key"]?.string
    launchImage = alert["launch-image"]?.string
  }
}
