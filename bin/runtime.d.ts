/** The oldest Node.js that runs the program itself. */
export const oldestNode: string;
