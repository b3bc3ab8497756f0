import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent } from 'react';
import type { Task } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { formText } from '../../components/form-text.ts';
import { Problem } from '../../components/problem.tsx';
import { FormButtons } from './change-dialogs.tsx';
import styles from './task.module.css';

/** A title is one line. */
const LONGEST_TITLE = 100;

/** Asks what else the agent shall do; it continues in the same session and directory as a new task. */
export function ContinueDialog({ task: { id }, onClose }: { task: Task; onClose: () => void }) {
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (prompt: string) => {
      const [line = ''] = prompt.split('\n', 1);
      return client.tasks.create({ body: { title: line.slice(0, LONGEST_TITLE), prompt, continues: id } });
    },
    onSuccess: ({ task }) => {
      onClose();
      void navigate({ to: '/tasks/$id', params: { id: task.id } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const prompt = formText(new FormData(event.currentTarget), 'prompt').trim();
    if (prompt !== '' && !create.isPending) create.mutate(prompt);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
  };
  return (
    <Dialog title="Continue this task" onClose={onClose}>
      <form className={styles['form']} onSubmit={submit}>
        <label>
          What else shall the agent do? It remembers this task.
          <textarea name="prompt" rows={5} maxLength={200_000} required autoFocus onKeyDown={onKeyDown} />
        </label>
        {create.error && <Problem error={create.error} />}
        <FormButtons name="Continue" isBusy={create.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}
