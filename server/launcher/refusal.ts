/** The launcher cannot start; the message is printed on the terminal. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}

/** The message for a file that this user cannot write; undefined for other errors. */
export function notWritable(error: unknown): Refusal | undefined {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (path === undefined || !['EACCES', 'EPERM', 'EROFS'].includes(code)) return undefined;
  return new Refusal(
    `${message}. This user must be able to write here; --data FOLDER chooses another folder for data.`,
  );
}
