import { useQuery } from '@tanstack/react-query';
import { agentTypesQuery } from '../../queries/agents.ts';
import { suggestionsQuery } from '../../queries/suggestions.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { DebouncedInput } from './debounced-input.tsx';
import { SavedFilterList } from './saved-filter-list.tsx';
import type { SavedFilters } from './saved-filters.ts';
import type { TasksSearch } from './tasks-search.ts';
import styles from './filter-bar.module.css';

/** The filters that are used less often, and those that have a name. */
export function FilterPanel({
  search,
  saved,
  onChange,
}: {
  search: TasksSearch;
  saved: SavedFilters;
  onChange: (name: 'label' | 'agent', value: string) => void;
}) {
  const { data: types = [] } = useQuery(agentTypesQuery);
  const { data: suggestions } = useQuery(suggestionsQuery);
  const { agent = '', label = '' } = search;
  const agents = agent === '' || types.includes(agent) ? types : [...types, agent];
  return (
    <>
      <div className={styles['more']}>
        <label>
          Agent
          <select value={agent} onChange={({ target }) => onChange('agent', target.value)}>
            <option value="">Any agent</option>
            {agents.map((type) => (
              <option key={type} value={type}>
                {visibleLine(type)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Labels
          <DebouncedInput
            list="task-labels"
            placeholder="Any, or such as ci,nightly"
            value={label}
            onCommit={(value) => onChange('label', value)}
          />
        </label>
        <datalist id="task-labels">
          {suggestions?.labels.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </div>
      <SavedFilterList search={search} saved={saved} />
    </>
  );
}
