/** Nothing was undone, and another attempt would not help: the message says what stands in the way. */
export class UndoRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UndoRefused';
  }
}
