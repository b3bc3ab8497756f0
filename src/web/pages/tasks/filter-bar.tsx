import { lazyPart } from '../../components/lazy-part.ts';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { DebouncedInput } from './debounced-input.tsx';
import { useSavedFilters } from './saved-filters.ts';
import { readTasksSearch } from './tasks-search.ts';
import { StatusLinks } from './status-links.tsx';
import styles from './filter-bar.module.css';

const FilterPanel = lazyPart(() => import('./filter-panel.tsx'), 'FilterPanel');
const route = getRouteApi('/tasks');

/** Which tasks the page shows: the URL says it, and this changes the URL. */
export function FilterBar() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const saved = useSavedFilters();
  const [isOpen, setOpen] = useState(false);
  const count = [search.agent, search.label].filter(Boolean).length;
  const change = (name: 'q' | 'label' | 'agent', value: string) =>
    void navigate({
      search: (old) => readTasksSearch({ ...old, [name]: value }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className={styles['bar']}>
      <StatusLinks search={search} saved={saved.filters} />
      <div className={styles['fields']}>
        <DebouncedInput
          type="search"
          aria-label="Search tasks"
          placeholder="Search"
          aria-keyshortcuts="/"
          maxLength={1000}
          value={search.q ?? ''}
          onCommit={(q) => change('q', q)}
        />
        <button
          type="button"
          className="button"
          aria-expanded={isOpen}
          aria-controls="task-filters"
          onClick={() => setOpen((open) => !open)}
        >
          <Icon name="sliders-horizontal" />
          Filters{count > 0 && ` (${count})`}
        </button>
      </div>
      <div id="task-filters" className={styles['panel']} hidden={!isOpen}>
        <Suspense>{isOpen && <FilterPanel search={search} saved={saved} onChange={change} />}</Suspense>
      </div>
    </div>
  );
}
