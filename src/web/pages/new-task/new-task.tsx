import { useState } from 'react';
import { Page } from '../../components/page.tsx';
import { Created, type CreatedWork } from './created.tsx';
import { TaskForm } from './task-form.tsx';

/** Creates a task, or a schedule that does. */
export function NewTaskPage() {
  const [created, setCreated] = useState<CreatedWork>();
  return (
    <Page title="New task" isNarrow>
      {created ? (
        <Created created={created} onAnother={() => setCreated(undefined)} />
      ) : (
        <TaskForm onCreated={setCreated} />
      )}
    </Page>
  );
}
