import { JsonText } from '../../../ui/json-text.tsx';
import { useLoadedIdentity } from '../use-loaded-identity.ts';

export const JsonTab = () => (
  <JsonText
    label="Identity as JSON"
    about="As the identity service returned it. Secrets of credentials are never asked for."
    value={useLoadedIdentity()}
  />
);
