/** What the exit code of the program says. */
export const EXIT = {
  /** Everything was done. */
  done: 0,
  /** The service refused, could not be reached, or the person said no. */
  refused: 1,
  /** The command line is wrong. */
  misuse: 2,
  /** Some of it was done: an import skipped rows, or a bulk write stopped in the middle. */
  partly: 3,
  /** Ctrl-C, as shells report it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the program with a message on stderr. `hint` says what to do about it. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.refused,
    readonly hint?: string,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** The command line is wrong. */
export function misuse(message: string, hint?: string): CliError {
  return new CliError(message, EXIT.misuse, hint);
}
