import type { ExperienceType } from './experiences.ts';

/** What each type of experience describes. */
export const experienceMeanings: Record<ExperienceType, string> = {
  tool_chain: 'the tools that led to the goal, in order',
  user_preference: 'how a user wants it done',
  task_solution: 'how a task was solved',
  error_recovery: 'how a failure was fixed',
};
