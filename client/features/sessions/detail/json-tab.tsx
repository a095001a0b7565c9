import { JsonText } from '../../../ui/json-text.tsx';
import { useLoadedSession } from '../use-loaded-session.ts';

export function JsonTab() {
  const { ended: _, ...session } = useLoadedSession();
  return <JsonText label="Session as JSON" about="As the identity service returned it." value={session} />;
}
