#if Postgres
  import Testing

  @testable import StratusPostgres

  @Suite("Pace of signals between nodes")
  struct SignalPaceTests {
    @Test("A signal is sent at once, and again after its pause if an equal one has arrived")
    func equalSignals() {
      var pace = SignalPace<String>()
      #expect(pace.begin("a"))
      #expect(!pace.begin("a"))
      #expect(!pace.begin("a"))
      #expect(pace.endPause(of: "a"))
      #expect(!pace.endPause(of: "a"))
      #expect(pace.begin("a"))
    }

    @Test("Signals that differ do not wait for each other")
    func differentSignals() {
      var pace = SignalPace<String>()
      #expect(pace.begin("a"))
      #expect(pace.begin("b"))
      #expect(!pace.begin("a"))
      #expect(!pace.endPause(of: "b"))
      #expect(pace.endPause(of: "a"))
    }
  }
#endif
