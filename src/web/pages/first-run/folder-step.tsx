import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { suggestionsQuery } from '../../queries/suggestions.ts';
import { Suggestions } from '../../components/task-fields/suggestions.tsx';

/** Chooses where the first task works. The daemon says whether the folder exists when the task is created. */
export function FolderStep({ folder, onNext }: { folder: string; onNext: (folder: string) => void }) {
  const list = useId();
  const { data: suggestions } = useQuery(suggestionsQuery);
  const submit = async (data: FormData) => {
    const chosen = formText(data, 'cwd').trim();
    if (chosen === '') return new Map([['cwd', 'Enter a folder, or skip this step.']]);
    if (!/^(?:[/~]|[A-Za-z]:[\\/])/.test(chosen))
      return new Map([['cwd', 'Enter the whole path, such as /home/you/shop.']]);
    onNext(chosen);
    return undefined;
  };
  return (
    <>
      <p>
        In which folder should the first task work? Agents ask before they change files there, unless the
        policy allows it.
      </p>
      <Form
        submit="Continue"
        beside={
          <button type="button" className="button" onClick={() => onNext('')}>
            Skip: a new folder for each task
          </button>
        }
        onSubmit={submit}
      >
        <Field name="cwd" label="Folder" hint="On the machine of the daemon, such as a Git repository.">
          {(control) => (
            <input
              {...control}
              list={list}
              defaultValue={folder}
              placeholder="/home/you/project"
              spellCheck={false}
              autoFocus
            />
          )}
        </Field>
        <Suggestions id={list} values={suggestions?.directories} />
      </Form>
    </>
  );
}
