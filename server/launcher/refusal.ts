/** Why the launcher does not start; the message is for the person at the terminal. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}
