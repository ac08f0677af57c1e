/// Words that many people use as a password, alone, in pairs, or between digits and punctuation.
///
/// The list was written for this project. ``PasswordRules`` also refuses these words in pairs and
/// with digits or punctuation, so the list covers many more passwords.
enum GuessedPasswords {
  static let words: Set<String> = Set(
    """
    password passwort passwd pass parola senha motdepasse contrasena wachtwoord salasana haslo
    secret geheim letmein welcome willkommen bienvenue admin administrator root user login access
    master superuser guest test testing tester temp changeme default system server manager
    qwerty qwertz azerty qwertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm yxcvbnm qazwsx qazwsxedc
    iloveyou ilove you love lovely loveme iloveme mylove baby babygirl babyboy sweetie honey darling
    angel angels princess prince queen king sunshine sunflower rainbow butterfly flower rose daisy
    monkey dragon tiger lion eagle panther wolf bear falcon dolphin kitty kitten puppy doggy horse
    football soccer baseball basketball hockey tennis golf runner racing rugby cricket volleyball
    superman batman spiderman ironman pokemon pikachu naruto starwars yoda matrix hunter killer
    shadow ghost ninja samurai warrior knight soldier ranger hacker cracker pirate wizard magic
    michael michelle jessica jennifer jordan ashley daniel andrew joshua matthew robert thomas
    charlie maggie buster bailey ginger pepper cookie chocolate cheese banana orange apple cherry
    peanut pumpkin coffee whiskey summer winter spring autumn january february march april june july
    august september october november december monday tuesday wednesday thursday friday saturday
    sunday freedom liberty america canada london paris berlin moscow india brasil mexico chicago
    boston dallas texas liverpool arsenal chelsea barcelona madrid juventus yankees steelers cowboys
    lakers eagles packers raiders patriots mercedes ferrari porsche toyota honda yamaha harley
    computer internet google facebook instagram twitter microsoft windows linux ubuntu android apple
    iphone samsung nokia amazon netflix youtube cloud cloudkit icloud stratus database backup
    money dollar bitcoin million lucky success forever family friend friends mother father daddy
    mommy mama papa sister brother jesus christ church heaven god blessed faith hope grace trinity
    peace hello hola bonjour hallo ciao whatever nothing something anything everything please thanks
    fuckyou fuck asshole bitch sexy hottie cutie pussy
    abc abcd abcde abcdef abcdefg abcdefgh one two three hundred zero
    trustno correcthorse correcthorsebatterystaple company business office work home house garden
    music guitar piano drummer dancer metallica nirvana slipknot eminem beatles blink
    blue red green black white yellow purple silver golden gold diamond crystal
    player gamer gaming minecraft fortnite roblox xbox playstation nintendo zelda mario sonic
    """.split(whereSeparator: \.isWhitespace).map(String.init))

  static let substitutes: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a",
    "$": "s", "!": "i", "|": "l", "+": "t",
  ]

  /// Rows of keyboards, and the alphabet.
  static let rows: [[Character]] = [
    "1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop",
    "abcdefghijklmnopqrstuvwxyz", "0123456789",
  ].map { Array($0) }
}
