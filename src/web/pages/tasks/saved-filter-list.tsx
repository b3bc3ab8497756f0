import { type SyntheticEvent, useState } from 'react';
import { formText } from '../../components/form-text.ts';
import { Icon } from '../../components/icon.tsx';
import { delay } from '../../components/undo.tsx';
import { type SavedFilter, type SavedFilters, searchOf } from './saved-filters.ts';
import type { TasksSearch } from './tasks-search.ts';
import styles from './filter-bar.module.css';

const LONGEST_NAME = 40;

/** Saves the current filter under a name; renames and deletes those that are there. */
export function SavedFilterList({ search, saved }: { search: TasksSearch; saved: SavedFilters }) {
  const [problem, setProblem] = useState<string>();
  const current = searchOf(search);
  const isSaved = saved.filters.some((each) => each.search === current);
  const save = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const name = formText(new FormData(form), 'name').trim();
    if (name === '') return setProblem('A filter needs a name.');
    if (saved.filters.some((each) => each.name === name))
      return setProblem(`There is a filter with the name “${name}”.`);
    setProblem(undefined);
    saved.change((filters) => [...filters, { name, search: current }]);
    form.reset();
  };
  const remove = (filter: SavedFilter) => {
    saved.change((filters) => filters.filter(({ name }) => name !== filter.name));
    delay(`“${filter.name}” deleted.`, {
      commit: async () => undefined,
      revert: () => saved.change((filters) => [...filters, filter]),
    });
  };
  return (
    <div className={styles['saved']}>
      <h2>Saved filters</h2>
      {saved.filters.map((filter) => (
        <SavedRow key={filter.name} filter={filter} saved={saved} onRemove={() => remove(filter)} />
      ))}
      {current === '' || isSaved ? (
        <p className="muted">
          {isSaved ? 'This filter is saved.' : 'Filter the tasks, and save the filter under a name here.'}
        </p>
      ) : (
        <form className={styles['save']} onSubmit={save}>
          <input
            name="name"
            aria-label="Name of this filter"
            aria-invalid={problem ? true : undefined}
            aria-describedby="filter-problem"
            placeholder="Name of this filter"
            maxLength={LONGEST_NAME}
          />
          <button className="button">Save filter</button>
        </form>
      )}
      <p id="filter-problem" className="error" role="status">
        {problem}
      </p>
    </div>
  );
}

function SavedRow({
  filter,
  saved,
  onRemove,
}: {
  filter: SavedFilter;
  saved: SavedFilters;
  onRemove: () => void;
}) {
  const rename = (text: string, input: HTMLInputElement) => {
    const name = text.trim();
    if (name === filter.name) return;
    // Two filters with one name could not be told apart.
    if (name === '' || saved.filters.some((each) => each.name === name)) input.value = filter.name;
    else saved.change((all) => all.map((each) => (each.name === filter.name ? { ...each, name } : each)));
  };
  return (
    <div className={styles['save']}>
      <input
        aria-label={`Rename ${filter.name}`}
        defaultValue={filter.name}
        maxLength={LONGEST_NAME}
        onBlur={({ currentTarget }) => rename(currentTarget.value, currentTarget)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && rename(currentTarget.value, currentTarget)}
      />
      <button
        type="button"
        className="button quiet icon"
        aria-label={`Delete ${filter.name}`}
        onClick={onRemove}
      >
        <Icon name="trash-2" />
      </button>
    </div>
  );
}
