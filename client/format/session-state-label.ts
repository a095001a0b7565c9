import type { SessionState } from './session-state.ts';

export const SESSION_STATES: Record<SessionState, { label: string; dot: 'good' | 'warning' | 'off' }> = {
  active: { label: 'Active', dot: 'good' },
  'person-inactive': { label: 'Person inactive', dot: 'warning' },
  ended: { label: 'Ended', dot: 'off' },
};

export const WHILE_INACTIVE =
  'While a person is inactive, their sessions do not work. Those that have not ended work again once the person is active.';
