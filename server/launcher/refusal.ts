/** The launcher cannot start; the message is printed on the terminal. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}
