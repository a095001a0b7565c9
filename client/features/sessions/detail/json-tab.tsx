import { JsonText } from '../../../ui/json-text.tsx';
import { useLoadedSession } from '../use-loaded-session.ts';

export const JsonTab = () => (
  <JsonText label="Session as JSON" about="As the identity service returned it." value={useLoadedSession()} />
);
