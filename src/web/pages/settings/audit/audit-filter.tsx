import { Link, useNavigate } from '@tanstack/react-router';
import { type SyntheticEvent, useId } from 'react';
import { formText } from '../../../components/form-text.ts';
import { type AuditSearch, readAuditSearch } from './audit-search.ts';
import styles from './audit.module.css';

const fields = [
  ['tool', 'Event or tool', 'search', 'auth.sign_in'],
  ['user', 'User ID', 'text', ''],
  ['from', 'From', 'date', ''],
  ['to', 'Until', 'date', ''],
] as const;

/** Which entries are shown; the address of the page says the same. */
export function AuditFilter({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const id = useId();
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const typed = Object.fromEntries(fields.map(([name]) => [name, formText(data, name).trim()]));
    void navigate({ to: '/settings/audit', search: readAuditSearch(typed) });
  };
  const isFiltered = fields.some(([name]) => search[name] !== undefined);
  return (
    <form className={styles['filter']} role="search" aria-label="Filter" onSubmit={submit}>
      {fields.map(([name, label, type, placeholder]) => (
        <div key={name} className={styles['field']}>
          <label htmlFor={`${id}-${name}`}>{label}</label>
          <input
            id={`${id}-${name}`}
            name={name}
            type={type}
            placeholder={placeholder}
            defaultValue={(type === 'date' ? search[name]?.slice(0, 10) : search[name]) ?? ''}
            autoComplete="off"
            spellCheck={false}
          />
        </div>
      ))}
      <div className={styles['buttons']}>
        <button className="button">Filter</button>
        {isFiltered && (
          <Link to="/settings/audit" className="button quiet">
            Clear
          </Link>
        )}
      </div>
    </form>
  );
}
