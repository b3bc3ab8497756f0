import { useRef } from 'react';
import { Icon } from '../../components/icon.tsx';

/** Chooses files of the person's own machine. */
export function FileButton({ onFiles }: { onFiles: (files: Iterable<File>) => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file may be chosen again.
          target.value = '';
          void onFiles(files);
        }}
      />
      <button
        type="button"
        className="button quiet icon"
        aria-label="Attach text files"
        title="Attach text files. You can also paste or drop them."
        onClick={() => input.current?.click()}
      >
        <Icon name="paperclip" />
      </button>
    </>
  );
}
