import { type ComponentProps, useEffect, useRef, useState } from 'react';

const TYPING_MS = 200;

/** A field whose text counts once somebody pauses, presses Enter or leaves it. */
export function DebouncedInput({
  value,
  onCommit,
  ...props
}: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  value: string;
  onCommit: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const committed = useRef(value);
  const timer = useRef<number>(undefined);
  // The address changed by something else, such as the way back.
  useEffect(() => {
    if (value === committed.current) return;
    committed.current = value;
    clearTimeout(timer.current);
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = (next: string) => {
    clearTimeout(timer.current);
    const trimmed = next.trim();
    if (trimmed === committed.current) return;
    committed.current = trimmed;
    onCommit(trimmed);
  };
  return (
    <input
      {...props}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(commit, TYPING_MS, target.value);
      }}
      onBlur={() => commit(text)}
      onKeyDown={({ key }) => key === 'Enter' && commit(text)}
    />
  );
}
