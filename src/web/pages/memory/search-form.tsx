import { Link, useNavigate } from '@tanstack/react-router';
import type { SyntheticEvent } from 'react';
import { formText } from '../../components/form-text.ts';
import { Check } from '../../components/form/form.tsx';
import styles from './memory.module.css';
import type { MemorySearch } from './memory-search.ts';

/** Asks the index; what is asked is in the URL. */
export function SearchForm({
  query,
  under,
  isExplained,
}: {
  query: string | undefined;
  under: string | undefined;
  isExplained: boolean;
}) {
  const navigate = useNavigate();
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const q = formText(data, 'q').trim();
    const path = formText(data, 'under').trim();
    const search: MemorySearch = {
      ...(q !== '' && { q }),
      ...(path !== '' && { under: path }),
      ...(data.has('why') && { why: true }),
    };
    void navigate({ to: '/memory', search });
  };
  return (
    <search>
      <form className={styles['search']} onSubmit={submit}>
        <input
          name="q"
          type="search"
          aria-label="Question or words"
          placeholder="Question or words"
          defaultValue={query}
          maxLength={2000}
        />
        <input
          name="under"
          aria-label="Only files at or below this path"
          placeholder="Below any path"
          defaultValue={under}
          spellCheck={false}
          autoCapitalize="off"
        />
        <Check>
          <input type="checkbox" name="why" defaultChecked={isExplained} /> Explain the scores
        </Check>
        <button type="submit" className="button primary">
          Search
        </button>
        {query !== undefined && (
          <Link to="/memory" className="button quiet">
            Clear
          </Link>
        )}
      </form>
    </search>
  );
}
