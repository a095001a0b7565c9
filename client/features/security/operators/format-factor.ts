/** Whether an operator has a second factor; null when that cannot be determined. */
export const formatFactor = (has: boolean | null): { words: string; dot: 'good' | 'warning' | 'off' } =>
  has === null
    ? { words: 'Second factor unknown', dot: 'off' }
    : has
      ? { words: 'Has a second factor', dot: 'good' }
      : { words: 'No second factor', dot: 'warning' };
