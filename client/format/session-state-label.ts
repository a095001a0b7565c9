import type { SessionState } from './session-state.ts';

export const SESSION_STATES: Record<SessionState, { word: string; dot: 'good' | 'warning' | 'off' }> = {
  active: { word: 'Active', dot: 'good' },
  'person-inactive': { word: 'Person inactive', dot: 'warning' },
  ended: { word: 'Ended', dot: 'off' },
};

export const WHILE_INACTIVE =
  'While a person is inactive, their sessions do not work. Those that have not ended work again once the person is active.';
