/** Room for the answers that are read as a whole. */
export interface AnswerRoom {
  /** @returns whether there is room for so many bytes more */
  take(bytes: number): boolean;
  free(bytes: number): void;
}

/** @param bytes of all answers together */
export function answerRoom(bytes: number): AnswerRoom {
  let taken = 0;
  return {
    take(more) {
      if (taken + more > bytes) return false;
      taken += more;
      return true;
    },
    free(less) {
      taken -= less;
    },
  };
}
