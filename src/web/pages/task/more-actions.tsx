import { useNavigate } from '@tanstack/react-router';
import type { InfiniteData } from '@tanstack/react-query';
import type { Task } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { copyText } from '../../components/copy-text.ts';
import { useIsLimited } from '../../components/limited.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import { delay } from '../../components/undo.tsx';
import { queryClient } from '../../queries/query-client.ts';
import type { TaskPage } from '../../queries/tasks.ts';
import { isFinished } from './task-states.ts';

/** What is needed less often, behind a button. */
export function MoreActions({ task: { id, status } }: { task: Task }) {
  const isLimited = useIsLimited();
  const navigate = useNavigate();
  const copy = async (text: string, name: string) =>
    (await copyText(text)) ? `${name} copied.` : `The browser does not let this page copy: ${text}`;
  const remove = () => {
    void navigate({ to: '/tasks' });
    removeFromLists(id);
    delay('Task deleted.', {
      async commit() {
        await client.tasks.delete({ params: { id } });
        queryClient.removeQueries({ queryKey: ['task', id] });
        await queryClient.invalidateQueries({ queryKey: ['tasks'] });
      },
      revert: () => void queryClient.invalidateQueries({ queryKey: ['tasks'] }),
    });
  };
  const items: MenuItem[] = [
    { icon: 'link', name: 'Copy link', run: () => copy(location.href, 'Link') },
    { icon: 'copy', name: 'Copy ID', run: () => copy(id, 'ID') },
  ];
  if (isFinished(status) && !isLimited)
    items.push({ icon: 'trash-2', name: 'Delete', run: remove, isDangerous: true });
  return <Menu items={items} />;
}

/** The row goes at once. */
function removeFromLists(id: string): void {
  queryClient.setQueriesData<InfiniteData<TaskPage>>({ queryKey: ['tasks'] }, (old) => {
    if (!old) return old;
    const pages = old.pages.map((page) => ({ ...page, tasks: page.tasks.filter((task) => task.id !== id) }));
    return { ...old, pages };
  });
}
