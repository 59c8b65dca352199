import { Badge } from "../../../ui/badge.tsx";
import { type Delivery, deliveryStateOf } from "../states.ts";

export function DeliveryState({ delivery }: { delivery: Delivery }) {
  const { text, tone } = deliveryStateOf(delivery);
  return <Badge tone={tone}>{text}</Badge>;
}
