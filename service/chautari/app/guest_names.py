"""Friendly names for guests who gave none: two words, in the language they like."""

from typing import Final

from chautari.app.ports import Random

_ENGLISH: Final = (
    "Amber Autumn Blue Brave Bright Bronze Calm Candid Cheerful Clever Copper Coral Cosmic Cosy Crimson Crystal "
    "Curious Daring Dawn Dusky Eager Early Easy Emerald Fabled Fair Fearless Frosty Gentle Glad Gleaming Golden "
    "Graceful Happy Hardy Hazel Honest Humble Indigo Ivory Jade Jolly Jovial Kind Lively Lucky Lunar Marble "
    "Mellow Merry Misty Modest Moonlit Mossy Nimble Noble Olive Opal Patient Pearly Playful Polite Proud Quick "
    "Quiet Ready Rosy Royal Ruby Sage Scarlet Serene Shining Silent Silver Snowy Solar Spry Starlit Steady "
    "Stellar Sunlit Sunny Swift Tidy Tranquil Trusty Velvet Violet Vivid Warm Whistling Winter Wise Witty Zesty",
    "Alder Badger Bamboo Banyan Barbet Bear Beaver Bee Birch Bulbul Cardinal Cedar Cheetah Cobra Comet Coral "
    "Cricket Crane Cuckoo Danphe Deer Dhole Dolphin Drongo Eagle Egret Elephant Falcon Fern Finch Firefly Fox "
    "Gaur Gazelle Gecko Gibbon Goat Goose Hare Hawk Heron Hoopoe Hornbill Ibex Ibis Iris Jackal Jasmine Juniper "
    "Kestrel Kingfisher Kite Koel Langur Lark Leopard Lily Linnet Loris Lotus Lynx Magpie Mango Maple Marigold "
    "Martin Mongoose Monal Moth Myna Nightjar Orchid Oriole Osprey Otter Owl Panda Panther Parrot Peacock Peepal "
    "Pelican Pika Pine Plover Quail Rabbit Raven Rhino Robin Sparrow Squirrel Stork Sunbird Swallow Swan Swift "
    "Takin Tern Thrush Tiger Tortoise Turtle Walnut Warbler Weasel Willow Wren Yak Zebra",
)  # fmt: skip
_NEPALI: Final = (
    "खुसी चतुर शान्त साहसी दयालु फुर्तिलो हँसिलो चम्किलो सुनौलो न्यानो उज्यालो इमानदार मिजासिलो जाँगरिलो सरल मधुर "
    "कोमल धीर वीर निडर सुन्दर रमाइलो प्यारो असल नरम चञ्चल हरियो नीलो रातो सेतो पहेँलो गुलाफी बैजनी चाँदीको हिमाली "
    "पहाडी तराई जंगली बिहानी जुनेली वसन्ती शरद् सानो ठूलो छिटो मौन उदार विनम्र नयाँ अनौठो",
    "डाँफे मुनाल हाब्रे बाघ हात्ती गैंडा याक चौंरी घोरल झारल खरायो मृग जरायो लोखर्के मयूर सुगा भँगेरा परेवा काग "
    "कोइली बाज चिल हाँस बकुल्ला सारस जुरेली फिस्टे कछुवा माछा पुतली मौरी जुनकिरी गुराँस कमल चमेली सयपत्री "
    "लालुपाते पीपल बर सल्लो कटुस चिलाउने उत्तिस बाँस आँप नास्पाती सुन्तला काफल ऐँसेलु लप्सी हिमाल झरना खोला ताल "
    "चौतारो",
)  # fmt: skip
_HINDI: Final = (
    "खुश चतुर शांत साहसी दयालु चंचल होशियार हँसमुख मिलनसार ईमानदार सरल मधुर कोमल धीर वीर निडर सुंदर नेक उदार "
    "विनम्र प्रसन्न तेज़ चमकदार मज़ेदार शानदार जानदार समझदार दिलदार वफ़ादार मस्त सजग सहज सुशील कुशल निपुण प्रवीण "
    "गुलाबी सुरमई बादामी आसमानी जामुनी नारंगी बसंती पहाड़ी जंगली रेशमी शरबती रूहानी मौजी",
    "मोर तोता मैना कोयल बुलबुल गौरैया कबूतर बाज़ चील हंस सारस बगुला उल्लू तीतर बटेर नीलकंठ हुदहुद बाघ शेर चीता "
    "हाथी गैंडा हिरन बारहसिंगा खरगोश गिलहरी लोमड़ी भालू बंदर लंगूर ऊदबिलाव नेवला कछुआ मछली तितली जुगनू भौंरा कमल "
    "चमेली गेंदा गुलाब चंपा जूही पीपल बरगद नीम आम जामुन देवदार चिनार बाँस झरना सागर बादल तारा",
)  # fmt: skip


def guest_name(random: Random, language: str = "en") -> str:
    """A friendly name, such as `Lucky Danphe` or `खुसी डाँफे`; in English where we have no words of the language."""
    first, second = all_words(language)
    return f"{_draw(random, first)} {_draw(random, second)}"


def all_words(language: str) -> tuple[list[str], list[str]]:
    """The first and the second words of a language; the English ones where we have none."""
    lists = {"ne": _NEPALI, "hi": _HINDI}.get(language.split("-", maxsplit=1)[0].lower(), _ENGLISH)
    return lists[0].split(), lists[1].split()


def _draw(random: Random, words: list[str]) -> str:
    return words[int.from_bytes(random(4), "big") % len(words)]
