import { expect, test } from "vitest";
import { agentQuestionOf } from "../../../../src/call/turn-taking/end-of-turn/agent-question.ts";

test.for([
  ["en", "Thank you. What is your phone number?", "number"],
  ["en", "Please tell me your account number.", "number"],
  ["en", "Could you spell your last name?", "spelling"],
  ["en", "Is that right?", "yes_no"],
  ["en", "Would you like tea or coffee?", "choice"],
  ["en", "How can I help you?", "open"],
  ["en", "I have noted your number.", "none"],
  ["en", "", "none"],
  ["de", "Wie ist Ihre Telefonnummer?", "number"],
  ["de", "Können Sie das bitte buchstabieren?", "spelling"],
  ["de", "Stimmt das?", "yes_no"],
  ["de", "Wie kann ich Ihnen helfen?", "open"],
  ["es", "¿Cuál es su número de teléfono?", "number"],
  ["es", "¿Es correcto?", "yes_no"],
  ["fr", "Quel est votre numéro de téléphone ?", "number"],
  ["fr", "Pouvez-vous épeler votre nom ?", "spelling"],
  ["fr", "Comment puis-je vous aider ?", "open"],
  ["it", "Qual è il suo numero di telefono?", "number"],
  ["it", "Va bene così?", "yes_no"],
  ["nl", "Wat is uw telefoonnummer?", "number"],
  ["pt", "Qual é o seu número de telefone?", "number"],
  ["ru", "Назовите, пожалуйста, ваш номер.", "number"],
  ["ru", "Чай или кофе?", "choice"],
  ["ru", "Всё верно?", "yes_no"],
])("%s: %s", ([language, text, question]) => {
  expect(agentQuestionOf(text as string, language as string)).toBe(question);
});
