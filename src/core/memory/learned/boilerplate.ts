import { wordsOf } from './fold-text.ts';

const thing =
  '(?:(?:the|this|that|your|my|our|all|every) )*(?:tasks?|requests?|work|jobs?|steps?|operations?|process|everything|all|it|issue|problem|changes?)';
const done =
  '(?:complete|completed|done|finished|executed|resolved|fixed|works?|working|worked|ok|okay|ready|successful|succeeded|performed|accomplished|implemented|applied|made|handled|solved)';
const manner =
  '(?: (?:now|already|all|successfully|correctly|fine|well|perfectly|with success|as (?:expected|requested|asked|intended|required|needed)|without (?:any )?(?:errors?|issues?|problems?)|for you|by me))*';

/** Sentences without information about what was done. */
const phrases = [
  `(?:${thing} )?(?:(?:is|are|was|were|has|have|been|got|should be|looks|now|all|successfully|already) )*${done}${manner}`,
  `(?:i|we)(?: have|ve)?(?: (?:now|just|already|successfully))* (?:completed?|finished|done|did|fixed|resolved|solved|implemented|accomplished|made)(?: ${thing})?${manner}`,
  '(?:there (?:are|were) )?(?:found )?no (?:more |further |other )?(?:issues|errors|problems)(?: (?:found|were found|encountered|remain|remaining|left))?',
  '(?:all )?(?:tests|checks) (?:pass|passed|are passing|are green|succeed)(?: now)?',
  'success(?:fully)?',
  '(?:please )?(?:let me know|feel free to (?:ask|reach out|contact)|(?:do not|dont) hesitate)(?: .*)?',
  '(?:i )?hope (?:this|that|it) helps(?: .*)?',
  '(?:is there )?anything else(?: i can (?:help|do).*)?',
  '(?:how (?:can|may) i (?:help|assist)|what would you like)(?: .*)?',
  'lorem ipsum(?: .*)?',
].map((phrase) => new RegExp(`^(?:${phrase})$`, 'u'));

/** Fine as the value of a preference, but not as an experience. */
const interjections =
  /^(?:sure|certainly|of course|great|perfect|okay?|yes|no|thanks|thank you|you are welcome|youre welcome|absolutely|got it|understood|noted|here you go|well done|good job|n a|none|null|undefined|nothing|nothing to (?:do|add|report)|todo|tbd|fixme|same as above|see above)$/u;

const stopWords = new Set(
  'a an and are as at be been but by did do does for from had has have he her his i if in into is it its me my of on or our she so than that the their them then there these they this those to too was we were what when where which who will with would you your'.split(
    ' ',
  ),
);

const sentencesOf = (text: string) =>
  text.split(/(?<![.!?…;])[.!?…;]+(?=\s|$)|\n+/u).map((part) => wordsOf(part).join(' '));

export const isBoilerplate = (text: string): boolean => {
  const sentences = sentencesOf(text).filter((sentence) => sentence !== '');
  return (
    sentences.length > 0 && sentences.every((sentence) => phrases.some((phrase) => phrase.test(sentence)))
  );
};

/** The distinct words of a text without boilerplate and stop words. */
export const significantWords = (text: string): Set<string> =>
  new Set(
    sentencesOf(text)
      .filter((it) => !interjections.test(it) && !phrases.some((phrase) => phrase.test(it)))
      .flatMap((sentence) => sentence.split(' '))
      .filter((word) => /[\p{L}\p{N}]/u.test(word) && !stopWords.has(word)),
  );
