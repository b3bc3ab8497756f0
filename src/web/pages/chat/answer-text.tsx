import { Markdown } from '../../components/markdown.tsx';

/** What a model or an agent wrote. */
export function AnswerText({ text }: { text: string }) {
  return <Markdown text={text} level={1} />;
}
