"""Chats in DynamoDB: two tables, one transaction per write."""
