import type { ExperienceType } from '../../../contract/experiences.ts';
import { experienceMeanings } from '../../../contract/experience-meanings.ts';
import { client } from '../../client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { refreshExperiences } from '../../queries/experiences.ts';
import { typeNames } from './experience-types.ts';

/** Records the steps that led to a goal. */
export function RecordDialog({ onClose }: { onClose: () => void }) {
  const record = async (data: FormData) => {
    const problems = new Map<string, string>();
    const intent = formText(data, 'intent').trim();
    const solution = formText(data, 'solution')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    if (intent === '') problems.set('intent', 'Say what was to be reached.');
    if (solution.length === 0) problems.set('solution', 'Say how, one step on each line.');
    if (problems.size > 0) return problems;
    const tags = formText(data, 'tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean);
    const type = formText(data, 'type') as ExperienceType;
    await client.experiences.create({ body: { type, intent, solution, tags } });
    await refreshExperiences();
    onClose();
    return undefined;
  };
  return (
    <Dialog title="Record an experience" onClose={onClose}>
      <Form submit="Record" onSubmit={record} onCancel={onClose}>
        <Field name="intent" label="Goal">
          {(control) => <input {...control} placeholder="Deploy the docs" maxLength={2000} autoFocus />}
        </Field>
        <Field name="solution" label="Steps" hint="One on each line.">
          {(control) => <textarea {...control} rows={4} placeholder={'npm run build\nnpm run push'} />}
        </Field>
        <Field name="type" label="Type">
          {(control) => (
            <select {...control} defaultValue="task_solution">
              {Object.entries(typeNames).map(([type, name]) => (
                <option key={type} value={type}>
                  {name}: {experienceMeanings[type as ExperienceType]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field name="tags" label="Tags" hint="With commas between them.">
          {(control) => <input {...control} />}
        </Field>
      </Form>
    </Dialog>
  );
}
