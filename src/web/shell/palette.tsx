import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icon-paths.ts';
import { isForLimited, useIsLimited } from '../components/limited.tsx';
import { statusLabel } from '../components/status-badge.tsx';
import { sections } from '../pages/settings/sections.ts';
import { tasksQuery } from '../queries/tasks.ts';
import { useAdmin } from '../queries/use-admin.ts';
import { actions, pages } from './pages.ts';
import styles from './palette.module.css';

interface Choice {
  id: string;
  icon: IconName;
  name: string;
  note?: string | undefined;
  /** The page that it leads to, or what of the page it presses. */
  to: string | HTMLElement;
}

const RECENT = 8;
const TYPING_MS = 150;

/** Finds pages, tasks and what the page can do by what is typed. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const choices = useChoices(text);
  const current = choices[Math.min(at, choices.length - 1)];
  const open = (choice: Choice | undefined) => {
    if (!choice) return;
    const { to } = choice;
    // The window closes first, and gives the focus back to the page.
    flushSync(onClose);
    if (typeof to === 'string') void navigate({ to });
    else if (to.isConnected) to.click();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(current);
    else if (step)
      setAt((old) => (Math.min(old, choices.length - 1) + step + choices.length) % choices.length);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-label="Search pages, tasks and actions"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={current && `${id}-${current.id}`}
        placeholder="Pages, tasks and actions"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        autoFocus
      />
      <ul className={styles['list']} role="listbox" id={`${id}-list`} aria-label="Found">
        {choices.map((choice) => (
          <li
            key={choice.id}
            id={`${id}-${choice.id}`}
            role="option"
            aria-selected={choice === current}
            className={styles['choice']}
            onClick={() => open(choice)}
          >
            <Icon name={choice.icon} />
            <span className={styles['name']}>{choice.name}</span>
            {choice.note && <span className="muted">{choice.note}</span>}
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="muted">Nothing matches “{text}”.</p>}
    </Dialog>
  );
}

function useChoices(text: string): Choice[] {
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isAdmin = useAdmin() === true;
  const isLimited = useIsLimited();
  const { data } = useInfiniteQuery(tasksQuery({ ...(q && { q }) }, RECENT));
  const [ofPage] = useState(actionsOfPage);
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const ofPages = [...pages, ...actions, ...(wanted === '' ? [] : settingsPages(isAdmin))]
      .filter(({ path }) => !isLimited || isForLimited(path))
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .map(({ path, name, icon }): Choice => ({
        id: `page${path.replaceAll('/', '-')}`,
        icon,
        name,
        to: path,
      }));
    const ofTasks = (data?.pages[0]?.tasks ?? []).map(({ id, title, status }): Choice => ({
      id,
      icon: 'list-todo',
      name: title ?? id,
      note: status && statusLabel(status),
      to: `/tasks/${id}`,
    }));
    const here = ofPage.filter(({ name }) => name.toLowerCase().includes(wanted));
    // The page may offer what is offered everywhere.
    const elsewhere = ofPages.filter(({ name }) => here.every((action) => action.name !== name));
    return [...here, ...elsewhere, ...ofTasks];
  }, [text, data, isAdmin, isLimited, ofPage]);
}

/** What can be done on the page beneath: the buttons beside its heading, for whom they are. */
function actionsOfPage(): Choice[] {
  const buttons = document.querySelectorAll<HTMLElement>('main .page-actions > :is(a, button:enabled)');
  return [...buttons].flatMap((button, at) => {
    const name = button.textContent.trim();
    return name === '' ? [] : [{ id: `action-${at}`, icon: 'play', name, note: 'This page', to: button }];
  });
}

/** The sections of the settings that a person may open. */
const settingsPages = (isAdmin: boolean) =>
  sections
    .filter(({ isForAdmins }) => isAdmin || !isForAdmins)
    .map(({ path, name }) => ({ path, name: `Settings: ${name}`, icon: 'settings' as const }));
