import { foldText } from './fold-text.ts';

const ai =
  '(?:ai|a\\.i\\.?|artificial intelligence|(?:large )?language model|llm|chat ?bot|virtual assistant)';
const kind =
  '(?: ?-?(?:powered|based))?(?: (?:large )?language)?(?: (?:model|assistant|agent|chat ?bot|system|program|tool))?';
const traits =
  '(?:(?:just|only|merely|simply|actually|an?|the|large|helpful|text-based|conversational|harmless) )*';
const makers = '(?:openai|anthropic|google|deepmind|meta|microsoft|mistral|deepseek|alibaba|xai)';
const cannot =
  "(?:can ?not|can't|am (?:unable|not able) to|am not capable of|don't have the ability to|do not have the ability to|lack the ability to|am not allowed to)";

/** Statements that only a model makes about itself. */
const always = [
  `^(?:[^,]{0,40}, )?(?:(?:but|and|sorry|please note that|note that|remember that|since|because|unfortunately|however|while) )*as an? ${traits}${ai}${kind}(?:$|[,:]? (?:i|i'm|i've|my)\\b)`,
  `^(?:[^,]{0,40}, )?(?:(?:but|and|sorry|please note that|note that|unfortunately|however) )*as an? ${traits}(?:ai )?(?:large )?(?:language model|ai model|llm)\\b,`,
  `\\bas an? ${traits}${ai}${kind},? (?:i|i'm) `,
  `\\bi(?: am|'m)(?: not a human[^.]{0,20})? ${traits}${ai}${kind}(?=$|[,;:)]| (?:and|so|that|who|which|without|with no|made|created|trained|developed|designed|built|by|not|rather|but|cannot|can't|i)\\b)`,
  `\\bmy (?:training data|training|knowledge) (?:only |does not |doesn't |is |was |has |have |had )*(?:goes|go|ends?|ended|includes?|contains?|extends?|limited|cut|covers?|stops?|up to|until|a cut)`,
  '\\bmy (?:knowledge|training)(?: data)?[ -]cut-?(?: ?)off\\b',
  '\\bas of my (?:last|latest|most recent) (?:knowledge |training )?(?:update|training|cut)',
  `\\bi (?:was|am|have been|'ve been) (?:trained|created|made|developed|built) by ${makers}\\b`,
  `\\b${makers} (?:trained|created|made|developed|built) me\\b`,
  `\\bi ${cannot} (?:directly |actually )?(?:browse|surf|search)(?: (?:the )?(?:internet|web|online))?(?=$|[,;]| (?:and|or|but|in real|so|to (?:find|look|get|check))\\b)`,
  `\\bi ${cannot} (?:assist|help|comply)(?: you)? with (?:that|this|your) request`,
  `\\b(?:i'm|i am)? ?sorry,? (?:but )?i ${cannot} (?:assist|help|comply|fulfil|fulfill|do that|provide|answer|continue)`,
  "\\bi (?:don't|do not) have (?:access to )?(?:real-?time|up-to-date) (?:data|information|access|knowledge)",
  "\\bi (?:don't|do not) have (?:personal (?:opinions|experiences?|feelings|beliefs|preferences)|feelings|consciousness|a physical body|emotions)",
  '^(?:ich bin (?:nur )?(?:eine? )?(?:ki|künstliche intelligenz|sprachmodell)|als (?:eine? )?(?:ki|künstliche intelligenz|sprachmodell|ki-\\w+))\\b',
  "^(?:je suis (?:une? )?(?:ia|intelligence artificielle|modèle de langage)|en tant qu(?:'(?:une? )?|e )(?:ia|intelligence artificielle|modèle de langage))(?!\\p{L})",
  '^(?:soy (?:una? )?(?:ia|inteligencia artificial|modelo de lenguaje)|como (?:una? )?(?:ia|inteligencia artificial|modelo de lenguaje))(?!\\p{L})',
].map((pattern) => new RegExp(pattern, 'u'));

/** Statements that are fine from a person but not from an agent. */
const agentOnly = [
  `\\bas an? ${traits}${ai}${kind}(?=$|[,:])`,
  '\\bmy (?:training(?: data| set)?|programming|system prompt|context window)\\b',
  `\\bi ${cannot} (?:directly |actually )?(?:browse|surf|search the (?:internet|web)|access (?:the (?:internet|web)|external|real-?time)|open (?:links|urls))`,
  "\\b(?:i am|i'm|my name is) (?:chatgpt|gpt-?\\d[\\w.]*|claude|gemini|copilot|llama|grok|mistral|deepseek|qwen)\\b",
  '\\bi (?:was|am|have been) (?:trained|programmed|instructed|designed) (?:on|to|not)\\b',
].map((pattern) => new RegExp(pattern, 'u'));

/** Whether a model talks about itself in a text. Quoted text may say anything. */
export function isAiSelfReference(text: string, isFromAgent: boolean): boolean {
  const folded = text.split(/(?<=[.!?…:])\s+|\n+/u).map((sentence) =>
    foldText(sentence)
      .replaceAll(/[’‘`´]/g, "'")
      .replaceAll(/[‐-―]/g, '-')
      .replaceAll(/"[^"]*"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|(?<![\p{L}\p{N}])'[^']*'(?!\p{L})/gu, '"')
      .replace(/^[^\p{L}\p{N}"]+/u, '')
      .replace(/(?<![\s.!?…:])[\s.!?…:]+$/u, ''),
  );
  const patterns = isFromAgent ? [...always, ...agentOnly] : always;
  return folded.some((sentence) => patterns.some((pattern) => pattern.test(sentence)));
}
