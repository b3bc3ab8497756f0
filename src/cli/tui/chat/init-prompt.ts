/** What `/init` asks the model for. */
export const initPrompt = `Write an AGENTS.md for this directory: the file that tells a coding agent how to work here.

Look around first with your tools: the readme, the manifests, the build and test configuration, the directories, a few typical source files, and rules for agents or editors that exist already. If there is an AGENTS.md, improve it instead of replacing it.

Cover, in at most 80 lines: what the project is, the commands to build, lint, run all tests and run a single one, how the code is organized, and the conventions that are not obvious from a single file. State only what you have seen. Leave out generic advice.

Write the file as AGENTS.md in the working directory, then summarize in two sentences what it says.`;
