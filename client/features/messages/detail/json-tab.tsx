import { JsonText } from '../../../ui/json-text.tsx';
import { useLoadedMessage } from '../use-loaded-message.ts';

export const JsonTab = () => (
  <JsonText
    label="Message as JSON"
    about="As the identity service returned it; in errors the names of mail servers are blanked."
    value={useLoadedMessage().document}
  />
);
