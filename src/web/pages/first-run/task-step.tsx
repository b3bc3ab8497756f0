import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { ActButton } from '../../components/act-button.tsx';
import { client } from '../../client.ts';
import { titleOf } from '../../../contract/task-title.ts';
import { completeFirstRun } from './complete-first-run.ts';
import styles from './first-run.module.css';

const ideas = {
  withFolder: ['Explain what this project does and how to run it.', 'Find the tests that fail and say why.'],
  alone: ['Write a haiku about tests to haiku.txt.', 'List three facts about this machine.'],
};

/** Creates the first task, and shows it at work. */
export function TaskStep({ folder, onSkip }: { folder: string; onSkip: () => Promise<void> }) {
  const navigate = useNavigate();
  const [prompt, setPrompt] = useState('');
  const submit = async (data: FormData) => {
    const text = formText(data, 'prompt').trim();
    if (text === '') return new Map([['prompt', 'Say what to do.']]);
    const { task } = await client.tasks.create({
      body: { title: titleOf(text), prompt: text, ...(folder !== '' && { cwd: folder }) },
    });
    await completeFirstRun();
    await navigate({ to: '/tasks/$id', params: { id: task.id } });
    return undefined;
  };
  return (
    <>
      <p>
        {folder === '' ? 'The task gets a new folder of its own.' : 'The task works in '}
        {folder !== '' && <code>{folder}</code>}
      </p>
      <Form submit="Start the first task" beside={<ActButton run={onSkip}>Skip</ActButton>} onSubmit={submit}>
        <Field name="prompt" label="What to do">
          {(control) => (
            <textarea
              {...control}
              rows={4}
              value={prompt}
              onChange={({ target }) => setPrompt(target.value)}
              autoFocus
            />
          )}
        </Field>
        <div className={styles['ideas']} role="group" aria-label="Examples">
          {(folder === '' ? ideas.alone : ideas.withFolder).map((idea) => (
            <button key={idea} type="button" className="button quiet" onClick={() => setPrompt(idea)}>
              {idea}
            </button>
          ))}
        </div>
      </Form>
    </>
  );
}
